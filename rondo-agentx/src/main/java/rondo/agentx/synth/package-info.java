/** Made-up traces with the statistics of real ones. */
@NullMarked
package rondo.agentx.synth;

import org.jspecify.annotations.NullMarked;
