package rondo.agentx;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import rondo.agentx.trace.SubagentEntry;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceEntry;
import rondo.agentx.trace.TraceRequest;
import tools.jackson.databind.node.NullNode;

/** Small traces for tests, written as in the worked examples of agentx-protocol.md §12: blocks of 4 tokens. */
public final class Traces {
    private Traces() {}

    public static TraceRequest request(double t, int in, int out, int[] ids, double api) {
        return request(t, in, out, ids, api, "m");
    }

    public static TraceRequest request(double t, int in, int out, int[] ids, double api, String model) {
        return new TraceRequest(
                t,
                false,
                model,
                in,
                out,
                ids,
                List.of(),
                List.of(),
                "",
                OptionalDouble.of(api),
                OptionalDouble.empty(),
                OptionalDouble.empty());
    }

    public static int[] ids(int... ids) {
        return ids;
    }

    public static int[] range(int from, int to) {
        return IntStream.rangeClosed(from, to).toArray();
    }

    public static SubagentEntry subagent(String id, double t, double durationMs, TraceRequest... requests) {
        return new SubagentEntry(
                t,
                id,
                "Explore",
                "completed",
                durationMs < 0 ? OptionalDouble.empty() : OptionalDouble.of(durationMs),
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of("m"),
                0,
                0,
                Arrays.asList(requests));
    }

    public static Trace trace(String id, TraceEntry... entries) {
        return trace(id, 0, 0, entries);
    }

    public static Trace trace(String id, int tool, int system, TraceEntry... entries) {
        return new Trace(id, List.of("m"), 4, tool, system, Arrays.asList(entries), NullNode.getInstance());
    }

    /** A conversation of {@code turns} that grows by two blocks a turn, each turn {@code out} tokens, no pauses. */
    public static Trace growing(String id, int turns, int out) {
        List<TraceEntry> entries = new ArrayList<>();
        for (int k = 0; k < turns; k++) {
            entries.add(request(k, 8 * (k + 1) + 1, out, range(1, 2 * (k + 1)), 1));
        }
        return trace(id, entries.toArray(TraceEntry[]::new));
    }
}
