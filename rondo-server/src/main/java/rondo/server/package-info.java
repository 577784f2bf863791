/** The OpenAI-compatible HTTP front: bytes in, validated requests to the engine, tokens out as JSON or SSE. */
@NullMarked
package rondo.server;

import org.jspecify.annotations.NullMarked;
