/** From a trace to what is replayed: conversations, spawn and join, prompts of exact length. */
@NullMarked
package rondo.agentx.plan;

import org.jspecify.annotations.NullMarked;
