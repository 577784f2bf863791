/** Who sends what when: lanes, delays, spawns, joins, barriers, under a clock that is given. */
@NullMarked
package rondo.agentx.replay;

import org.jspecify.annotations.NullMarked;
