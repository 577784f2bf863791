/** Steps that cost virtual time instead of computing: the real scheduler and memory run on them without a device. */
@NullMarked
package rondo.sim;

import org.jspecify.annotations.NullMarked;
