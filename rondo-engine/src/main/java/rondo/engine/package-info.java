/** The loop: schedule, step, sample. Serves generations from one engine thread. */
@NullMarked
package rondo.engine;

import org.jspecify.annotations.NullMarked;
