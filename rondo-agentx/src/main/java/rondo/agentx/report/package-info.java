/** The table and the HTML page that people read. */
@NullMarked
package rondo.agentx.report;

import org.jspecify.annotations.NullMarked;
