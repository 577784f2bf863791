/** What lies on the disk: safetensors files, their index, configuration files, and the account of every tensor. */
@NullMarked
package rondo.model.checkpoint;

import org.jspecify.annotations.NullMarked;
