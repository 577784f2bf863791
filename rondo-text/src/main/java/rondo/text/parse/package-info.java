/** What a model's output means: content, reasoning and tool calls, taken apart while it streams. */
@NullMarked
package rondo.text.parse;

import org.jspecify.annotations.NullMarked;
