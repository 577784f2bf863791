/** Architectures as data: what a decoder is made of, and which tensor of a checkpoint goes where. */
@NullMarked
package rondo.model.arch;

import org.jspecify.annotations.NullMarked;
