/** Recorded agent runs: the file format, its reading and writing, and the choice of what is loaded. */
@NullMarked
package rondo.agentx.trace;

import org.jspecify.annotations.NullMarked;
