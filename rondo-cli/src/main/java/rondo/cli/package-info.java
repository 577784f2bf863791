/** The commands of {@code rondo} and the place where the rooms are wired together. */
@NullMarked
package rondo.cli;

import org.jspecify.annotations.NullMarked;
