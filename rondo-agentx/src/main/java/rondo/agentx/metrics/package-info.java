/** What was measured, per request and per run, and the files that hold it. */
@NullMarked
package rondo.agentx.metrics;

import org.jspecify.annotations.NullMarked;
