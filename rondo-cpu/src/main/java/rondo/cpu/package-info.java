/** CPU kernels (Vector API) behind the compute SPI: memory, repacked weights, a small team of threads, the operations. */
@NullMarked
package rondo.cpu;

import org.jspecify.annotations.NullMarked;
