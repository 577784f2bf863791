package rondo.server.kvevents;

import java.util.Optional;

/**
 * How events are streamed; {@code kv_cache_config.kv_events_config.*}.
 *
 * @param endpoint       where subscribers connect, {@code tcp://HOST:PORT}; {@code *} as host = every address of the
 *     machine, as port = any free one
 * @param replayEndpoint where missed batches can be asked for; empty = nowhere
 * @param bufferSteps    batches kept for that
 * @param hwm            messages that wait for one slow subscriber before it misses some
 * @param maxQueueSize   batches that wait to be sent; one more is dropped, and its number with it
 * @param topic          first frame of each message
 * @param format         form of the payload
 * @param allGroups      {@code rondo.kv_events_all_groups}: also life cycles with a window
 */
public record StreamOptions(
        String endpoint,
        Optional<String> replayEndpoint,
        int bufferSteps,
        int hwm,
        int maxQueueSize,
        String topic,
        Format format,
        boolean allGroups) {
    /** Form of a payload; in each it is an array of time, events and rank. */
    public enum Format {
        /** An event is a map with a type, and tells its group. */
        TRTLLM,
        /** An event is an array with its type first, as vLLM wrote them until it changed to maps. */
        VLLM,
        /** An event is a map as vLLM writes it now. */
        VLLM_MAP
    }
}
