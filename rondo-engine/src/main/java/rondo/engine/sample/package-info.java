/** The definition of sampling: from one row of logits to one token. Devices that sample themselves are tested against it. */
@NullMarked
package rondo.engine.sample;

import org.jspecify.annotations.NullMarked;
