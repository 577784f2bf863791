/** What every room needs and none owns: clock, ids, token ids, JSON, threads, environment. */
@NullMarked
package rondo.base;

import org.jspecify.annotations.NullMarked;
