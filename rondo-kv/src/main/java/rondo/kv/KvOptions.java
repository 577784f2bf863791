package rondo.kv;

/**
 * The switches of {@code kv_cache_config} that the cache itself acts on.
 *
 * @param reuse                 {@code enable_block_reuse}
 * @param partialReuse          {@code enable_partial_reuse}
 * @param copyOnPartialReuse    {@code copy_on_partial_reuse}
 * @param policy                {@code block_reuse_config.policy}
 * @param maxNumTurns           {@code block_reuse_config.max_num_turns}
 * @param endpointRewindTokens  {@code block_reuse_config.swa_endpoint_rewind_tokens}
 * @param offloadMinPriority    {@code secondary_offload_min_priority}
 * @param maxUtilForResume      {@code max_util_for_resume}
 * @param eventBufferSize       {@code event_buffer_max_size}; 0 = no events
 * @param maxStepTokens         {@code max_num_tokens}: sizes the demote-ahead watermark
 * @param trackDecode           {@code rondo.swa_endpoint_track_decode}: with a rewind, the window before a reply's end
 *                              lives as long as the one before the prompt's
 * @param supersede             {@code rondo.swa_endpoint_supersede}: with a rewind, the window before a prompt that a
 *                              longer one has gone on from gives way before those that nobody has gone on from
 */
public record KvOptions(
        boolean reuse,
        boolean partialReuse,
        boolean copyOnPartialReuse,
        ReusePolicy policy,
        int maxNumTurns,
        int endpointRewindTokens,
        int offloadMinPriority,
        double maxUtilForResume,
        int eventBufferSize,
        int maxStepTokens,
        boolean trackDecode,
        boolean supersede) {
    /** {@code block_reuse_config.policy}: when prompt blocks are committed, and which sliding pages with them. */
    public enum ReusePolicy {
        ALL_REUSABLE,
        PER_REQUEST,
        PER_CONVERSATION
    }

    /** Without {@code trackDecode} and {@code supersede}. */
    public KvOptions(
            boolean reuse,
            boolean partialReuse,
            boolean copyOnPartialReuse,
            ReusePolicy policy,
            int maxNumTurns,
            int endpointRewindTokens,
            int offloadMinPriority,
            double maxUtilForResume,
            int eventBufferSize,
            int maxStepTokens) {
        this(
                reuse,
                partialReuse,
                copyOnPartialReuse,
                policy,
                maxNumTurns,
                endpointRewindTokens,
                offloadMinPriority,
                maxUtilForResume,
                eventBufferSize,
                maxStepTokens,
                false,
                false);
    }

    /** Without {@code supersede}. */
    public KvOptions(
            boolean reuse,
            boolean partialReuse,
            boolean copyOnPartialReuse,
            ReusePolicy policy,
            int maxNumTurns,
            int endpointRewindTokens,
            int offloadMinPriority,
            double maxUtilForResume,
            int eventBufferSize,
            int maxStepTokens,
            boolean trackDecode) {
        this(
                reuse,
                partialReuse,
                copyOnPartialReuse,
                policy,
                maxNumTurns,
                endpointRewindTokens,
                offloadMinPriority,
                maxUtilForResume,
                eventBufferSize,
                maxStepTokens,
                trackDecode,
                false);
    }

    public static KvOptions defaults() {
        return new KvOptions(true, true, true, ReusePolicy.ALL_REUSABLE, 1, 0, 35, 0.95, 0, 8192);
    }

    public KvOptions withReuse(boolean on) {
        return with(on, eventBufferSize, trackDecode, supersede);
    }

    public KvOptions withTrackDecode(boolean on) {
        return with(reuse, eventBufferSize, on, supersede);
    }

    public KvOptions withSupersede(boolean on) {
        return with(reuse, eventBufferSize, trackDecode, on);
    }

    /** @param size events kept between two hand-overs; 0 = none */
    public KvOptions withEventBuffer(int size) {
        return with(reuse, size, trackDecode, supersede);
    }

    private KvOptions with(boolean newReuse, int newEventBuffer, boolean newTrackDecode, boolean newSupersede) {
        return new KvOptions(
                newReuse,
                partialReuse,
                copyOnPartialReuse,
                policy,
                maxNumTurns,
                endpointRewindTokens,
                offloadMinPriority,
                maxUtilForResume,
                newEventBuffer,
                maxStepTokens,
                newTrackDecode,
                newSupersede);
    }
}
