/** Networks: checkpoints, architectures as data, one decoder, and the compute SPI that it runs on. */
@NullMarked
package rondo.model;

import org.jspecify.annotations.NullMarked;
