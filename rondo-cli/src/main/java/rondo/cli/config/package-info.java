/** The configuration file of {@code rondo serve}: the key table, the reader, its messages, the typed result. */
@NullMarked
package rondo.cli.config;

import org.jspecify.annotations.NullMarked;
