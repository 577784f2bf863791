/** The compute SPI: memory, weights and about a dozen fused operations, implemented by a CPU or a GPU. */
@NullMarked
package rondo.model.compute;

import org.jspecify.annotations.NullMarked;
