/** Grammars that bind what a generation may say: regular expressions, EBNF, JSON Schema, and their token masks. */
@NullMarked
package rondo.engine.grammar;

import org.jspecify.annotations.NullMarked;
