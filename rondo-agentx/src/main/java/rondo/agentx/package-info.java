/** The benchmark: replays recorded agentic coding sessions against any OpenAI-compatible server and measures it. */
@NullMarked
package rondo.agentx;

import org.jspecify.annotations.NullMarked;
