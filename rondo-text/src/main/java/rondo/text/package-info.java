/** Text and tokens: tokenizer, chat templates, incremental detokenizer, tool-call and reasoning parsers. */
@NullMarked
package rondo.text;

import org.jspecify.annotations.NullMarked;
