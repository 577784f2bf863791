package rondo.agentx.metrics;

import java.util.OptionalDouble;
import java.util.function.Function;

/** Metrics that every successful request has one value of (agentx-protocol.md §7.1). */
public enum RecordMetric {
    TTFT("time_to_first_token", "Time to First Token", "ms", RequestRecord::ttftMillis),
    TTST("time_to_second_token", "Time to Second Token", "ms", RequestRecord::ttstMillis),
    TTFO("time_to_first_output_token", "Time to First Output Token", "ms", RequestRecord::firstOutputMillis),
    LATENCY("request_latency", "Request Latency", "ms", RequestRecord::latencyMillis),
    ITL("inter_token_latency", "Inter Token Latency", "ms", RequestRecord::itlMillis),
    DECODE("decode_duration", "Decode Duration", "ms", RequestRecord::decodeMillis),
    SPEED(
            "output_token_throughput_per_user",
            "Output Token Throughput Per User",
            "tokens/sec/user",
            RequestRecord::speed),
    E2E_SPEED(
            "e2e_output_token_throughput",
            "E2E Output Token Throughput",
            "tokens/sec/user",
            r -> perSecond(r.outputTokens(), r.latencyMillis())),
    PREFILL_SPEED(
            "prefill_throughput_per_user",
            "Prefill Throughput Per User",
            "tokens/sec/user",
            r -> perSecond(r.inputTokens(), r.ttftMillis())),
    ISL("input_sequence_length", "Input Sequence Length", "tokens", r -> OptionalDouble.of(r.inputTokens())),
    OSL("output_sequence_length", "Output Sequence Length", "tokens", r -> OptionalDouble.of(r.outputTokens())),
    USAGE_PROMPT(
            "usage_prompt_tokens",
            "Usage Prompt Tokens",
            "tokens",
            r -> count(r.result().usage().promptTokens())),
    USAGE_COMPLETION(
            "usage_completion_tokens",
            "Usage Completion Tokens",
            "tokens",
            r -> count(r.result().usage().completionTokens())),
    USAGE_CACHED(
            "usage_prompt_cache_read_tokens",
            "Usage Prompt Cache Read Tokens",
            "tokens",
            r -> count(r.result().usage().cachedTokens())),
    PROMPT_DELTA("prompt_tokens_delta", "Prompt Tokens Beyond The Trace", "tokens", r -> delta(r)),
    OSL_DIFF(
            "osl_mismatch_diff_pct",
            "Output Length Difference",
            "%",
            r -> OptionalDouble.of(100.0
                    * (r.outputTokens() - r.request().what().maxTokens())
                    / r.request().what().maxTokens())),
    EFFECTIVE_LATENCY("effective_latency", "Effective Latency", "ms", r -> OptionalDouble.of(r.effectiveMillis()));

    private final String tag;
    private final String title;
    private final String unit;
    private final Function<RequestRecord, OptionalDouble> value;

    RecordMetric(String tag, String title, String unit, Function<RequestRecord, OptionalDouble> value) {
        this.tag = tag;
        this.title = title;
        this.unit = unit;
        this.value = value;
    }

    public String tag() {
        return tag;
    }

    public String title() {
        return title;
    }

    public String unit() {
        return unit;
    }

    /** The value of one successful request, if it has one. */
    public OptionalDouble of(RequestRecord record) {
        return value.apply(record);
    }

    private static OptionalDouble perSecond(int tokens, OptionalDouble millis) {
        return millis.isPresent() && millis.getAsDouble() > 0
                ? OptionalDouble.of(tokens * 1000.0 / millis.getAsDouble())
                : OptionalDouble.empty();
    }

    private static OptionalDouble count(java.util.OptionalInt tokens) {
        return tokens.isPresent() ? OptionalDouble.of(tokens.getAsInt()) : OptionalDouble.empty();
    }

    private static OptionalDouble delta(RequestRecord r) {
        java.util.OptionalInt prompt = r.result().usage().promptTokens();
        return prompt.isPresent()
                ? OptionalDouble.of(prompt.getAsInt() - r.request().what().promptTokens())
                : OptionalDouble.empty();
    }
}
