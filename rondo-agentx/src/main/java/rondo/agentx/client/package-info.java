/** The wire: one streaming HTTP request per turn, timestamps taken when bytes arrive. */
@NullMarked
package rondo.agentx.client;

import org.jspecify.annotations.NullMarked;
