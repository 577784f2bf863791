package rondo.agentx.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import rondo.base.UserError;

/**
 * Which traces and requests are loaded (agentx-protocol.md T7, T8).
 *
 * @param maxContextLength traces whose longest prompt plus output exceeds this are dropped, tokens
 * @param maxEntries       only the first so many of the remaining traces are kept
 * @param maxOutput        cap of the output length of top-level requests, tokens; subagents stay uncapped
 * @param maxInput         requests with longer prompts are dropped, tokens
 */
public record TraceSelection(
        OptionalInt maxContextLength, OptionalInt maxEntries, OptionalInt maxOutput, OptionalInt maxInput) {

    /** Everything. */
    public static TraceSelection all() {
        return new TraceSelection(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
    }

    /** The traces that are replayed, in load order; lengths are judged after context scaling. */
    public List<Trace> apply(List<Trace> traces, ContextScale scale) {
        List<Trace> kept = new ArrayList<>();
        for (Trace trace : traces) {
            Trace shorter = maxInput.isPresent() ? dropLongInputs(trace, maxInput.getAsInt(), scale) : trace;
            boolean fits = maxContextLength.isEmpty() || peak(shorter, scale) <= maxContextLength.getAsInt();
            if (shorter.hasRoot() && fits && (maxEntries.isEmpty() || kept.size() < maxEntries.getAsInt())) {
                kept.add(shorter);
            }
        }
        if (kept.isEmpty()) {
            throw new UserError(
                    UserError.USAGE,
                    "traces: none of the " + traces.size() + " traces remains after the selection ("
                            + describe(traces, scale) + ")");
        }
        return List.copyOf(kept);
    }

    /** Longest prompt plus output over all requests, tokens. */
    public long peak(Trace trace, ContextScale scale) {
        long peak = 0;
        int cap = maxOutput.orElse(Integer.MAX_VALUE);
        for (TraceEntry entry : trace.entries()) {
            switch (entry) {
                case TraceRequest r -> peak = Math.max(peak, length(r, cap, trace.blockSize(), scale));
                case SubagentEntry s -> {
                    for (TraceRequest r : s.requests()) {
                        peak = Math.max(peak, length(r, Integer.MAX_VALUE, trace.blockSize(), scale));
                    }
                }
            }
        }
        return peak;
    }

    private static long length(TraceRequest r, int cap, int blockSize, ContextScale scale) {
        return (long) scale.tokens(r, blockSize) + Math.max(1, Math.min(r.out(), cap));
    }

    private static Trace dropLongInputs(Trace trace, int limit, ContextScale scale) {
        List<TraceEntry> entries = new ArrayList<>();
        for (TraceEntry entry : trace.entries()) {
            switch (entry) {
                case TraceRequest r -> {
                    if (scale.tokens(r, trace.blockSize()) <= limit) {
                        entries.add(r);
                    }
                }
                case SubagentEntry s -> {
                    List<TraceRequest> requests = s.requests().stream()
                            .filter(r -> scale.tokens(r, trace.blockSize()) <= limit)
                            .toList();
                    if (!requests.isEmpty()) {
                        entries.add(new SubagentEntry(
                                s.t(),
                                s.agentId(),
                                s.subagentType(),
                                s.status(),
                                s.durationMs(),
                                s.totalTokens(),
                                s.toolUseCount(),
                                s.models(),
                                s.toolTokens(),
                                s.systemTokens(),
                                requests));
                    }
                }
            }
        }
        return trace.withEntries(entries);
    }

    private String describe(List<Trace> traces, ContextScale scale) {
        long least = traces.stream()
                .filter(Trace::hasRoot)
                .mapToLong(t -> peak(t, scale))
                .min()
                .orElse(0);
        return maxContextLength.isPresent()
                ? "--max-context-length " + maxContextLength.getAsInt() + ", the shortest trace needs " + least
                : "no trace has a request of its root agent";
    }
}
