/** The one forward pass, and the executor that drives it step by step. */
@NullMarked
package rondo.model.decoder;

import org.jspecify.annotations.NullMarked;
