/** The compute SPI in plain Java: the specification that fast kernels are tested against. */
@NullMarked
package rondo.model.compute.scalar;

import org.jspecify.annotations.NullMarked;
