/** What the engine asks of whatever computes steps: a CPU, a GPU, a cost model, a stub. */
@NullMarked
package rondo.engine.spi;

import org.jspecify.annotations.NullMarked;
