/**
 * A Jinja interpreter for chat templates: behaves like Python's jinja2 as Hugging Face transformers sets it up, and
 * keeps track of which characters of the output came from outside the template.
 */
@NullMarked
package rondo.text.jinja;

import org.jspecify.annotations.NullMarked;
