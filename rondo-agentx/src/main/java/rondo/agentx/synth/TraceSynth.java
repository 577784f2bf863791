package rondo.agentx.synth;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import rondo.agentx.trace.SubagentEntry;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceEntry;
import rondo.agentx.trace.TraceRequest;
import rondo.base.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes traces whose statistics are those of recorded coding agents (agentx-protocol.md §1.3-1.5): a long prefix that
 * grows by appends, now and then loses its end or is compacted, short outputs, heavy-tailed pauses, subagents.
 * The same options give the same traces.
 */
public final class TraceSynth {
    private static final Quantiles TURNS = new Quantiles(0, 3, 0.1, 7, 0.5, 45, 0.9, 156, 1, 514);
    private static final Quantiles OUTPUT = new Quantiles(0, 8, 0.1, 105, 0.5, 216, 0.9, 898, 0.99, 3687, 1, 18195);
    private static final Quantiles PAUSE =
            new Quantiles(0, 0.5, 0.1, 4.0, 0.25, 5.6, 0.5, 9.6, 0.75, 23.4, 0.9, 118, 0.99, 2125, 1, 20000);
    private static final Quantiles DURATION =
            new Quantiles(0, 1.23, 0.1, 2.6, 0.5, 6.13, 0.9, 18.37, 0.99, 60.7, 1, 300);
    private static final Quantiles NEW_BLOCKS =
            new Quantiles(0, 1.5, 0.1, 3, 0.25, 6, 0.5, 13, 0.75, 31, 0.9, 63, 0.95, 103, 0.99, 244, 1, 900);
    private static final Quantiles LOST_BLOCKS = new Quantiles(0, 1, 0.6, 1.01, 0.85, 40, 0.9, 425, 1, 1900);
    private static final Quantiles PREFIX = new Quantiles(0, 8400, 0.1, 12000, 0.5, 15000, 0.9, 16500, 1, 17500);
    private static final Quantiles FRESH_START = new Quantiles(0, 1200, 0.5, 4200, 1, 12000);
    private static final Quantiles RESUMED_START = new Quantiles(0, 20000, 0.5, 72000, 0.9, 250000, 1, 540000);
    private static final Quantiles LIMIT =
            new Quantiles(0, 100000, 0.2, 150000, 0.5, 170000, 0.7, 260000, 0.9, 420000, 1, 900000);
    private static final Quantiles NESTED_TURNS = new Quantiles(0, 4, 0.5, 11, 1, 24);

    private static final double RESUMED_SHARE = 0.36;
    private static final double REPLACE_SHARE = 0.06;
    private static final double EDIT_SHARE = 0.004;
    private static final double HUMAN_SHARE = 0.15;
    private static final double BACKGROUND_SHARE = 0.06;
    private static final double RECORDED_BLOCK = 64;
    private static final double MEDIAN_GROWTH = 13 * RECORDED_BLOCK;
    private static final double MEDIAN_FIRST = 21000;
    private static final String MODEL = "synth-large";
    private static final String SMALL_MODEL = "synth-small";

    private final SynthOptions options;
    private final SplittableRandom random;
    private final List<TraceEntry> entries = new ArrayList<>();
    private final double lengthScale;
    private final double growthScale;
    private final double firstScale;

    private int nextId = 1;
    private double now;
    private int[] sharedSubagentPrefix = {};

    private TraceSynth(SynthOptions options, SplittableRandom random) {
        this.options = options;
        this.random = random;
        this.growthScale = options.growth().isPresent() ? options.growth().getAsInt() / MEDIAN_GROWTH : 1;
        this.firstScale =
                options.firstPrompt().isPresent() ? options.firstPrompt().getAsInt() / MEDIAN_FIRST : 1;
        this.lengthScale = firstScale;
    }

    /** The traces, ids {@code synth_0001} and so on. */
    public static List<Trace> make(SynthOptions options) {
        SplittableRandom seeds = new SplittableRandom(options.seed());
        List<Trace> out = new ArrayList<>();
        int withSubagents = 0;
        double[] shares = strata(options.traces(), seeds);
        for (int i = 1; i <= options.traces(); i++) {
            // Spread evenly, so that a few traces already have their share.
            boolean subagents = Math.floor(i * options.subagentShare() + 1e-9) > withSubagents;
            withSubagents += subagents ? 1 : 0;
            out.add(new TraceSynth(options, seeds.split()).trace("synth_%04d".formatted(i), subagents, shares[i - 1]));
        }
        return List.copyOf(out);
    }

    /** Shares spread evenly over 0 to 1 in random order, so that also a few traces are long and short as recorded. */
    private static double[] strata(int count, SplittableRandom random) {
        double[] out = new double[count];
        for (int i = 0; i < count; i++) {
            int j = random.nextInt(i + 1);
            out[i] = out[j];
            out[j] = (i + random.nextDouble()) / count;
        }
        return out;
    }

    private Trace trace(String id, boolean subagents, double turnShare) {
        int prefix = Math.max(2, (int) Math.round(PREFIX.draw(random) * firstScale));
        int tool = (int) Math.round(prefix * 0.72);
        int turns = options.turns().orElseGet(() -> (int) Math.round(TURNS.at(turnShare)));
        double start = prefix + FRESH_START.draw(random) * firstScale;
        boolean resumed = options.firstPrompt().isEmpty() && random.nextDouble() < RESUMED_SHARE;
        if (resumed) {
            start = Math.max(start, RESUMED_START.draw(random));
        }
        double limit = options.maxPrompt().isPresent()
                ? options.maxPrompt().getAsInt()
                : Math.max(LIMIT.draw(random) * lengthScale, start * 1.6);
        int[] subagentTurns = subagents ? subagentTurns(turns) : new int[0];
        Chain chain = new Chain(prefix, start, limit);
        for (int k = 0; k < turns; k++) {
            boolean human = k == 0 || random.nextDouble() < HUMAN_SHARE;
            double pause = k == 0 ? 0 : pause();
            TraceRequest request = chain.next(seconds(now + pause), MODEL, human, pause, k == 0);
            entries.add(request);
            now = request.end();
            if (Arrays.binarySearch(subagentTurns, k) >= 0) {
                subagent(entries.size());
            }
        }
        List<String> models = subagents ? List.of(MODEL, SMALL_MODEL) : List.of(MODEL);
        return new Trace(id, models, options.blockSize(), tool, prefix - tool, List.copyOf(entries), totals());
    }

    private int[] subagentTurns(int turns) {
        int count = Math.min(Math.max(1, turns - 1), 1 + random.nextInt(3));
        return random.ints(count, 0, Math.max(1, turns - 1)).distinct().sorted().toArray();
    }

    /** A subagent that starts at the end of the last root request; its marker is its end, as in recordings. */
    private void subagent(int number) {
        int prefix = Math.max(2, (int) Math.round(10_000 * firstScale));
        Chain chain = new Chain(prefix, prefix + 400 * firstScale + 1, Double.MAX_VALUE);
        chain.sharePrefix();
        int turns = options.turns().isPresent()
                ? Math.max(2, options.turns().getAsInt() / 2)
                : (int) Math.round(NESTED_TURNS.draw(random));
        List<TraceRequest> requests = new ArrayList<>();
        double at = 0;
        for (int k = 0; k < turns; k++) {
            double pause = k == 0 ? 0 : Math.min(pause(), 30 * options.timeScale());
            TraceRequest request = chain.next(seconds(at + pause), SMALL_MODEL, k == 0, pause, k == 0);
            requests.add(request);
            at = request.end();
        }
        boolean background = random.nextDouble() < BACKGROUND_SHARE;
        double start = now;
        double marker = background ? start : start + at;
        long tokens = requests.stream().mapToLong(r -> r.in() + r.out()).sum();
        entries.add(new SubagentEntry(
                millis(marker),
                "agent_%03d".formatted(number),
                "Explore",
                background ? "async_launched" : "completed",
                background ? OptionalDouble.empty() : OptionalDouble.of(Math.round(at * 1000)),
                background ? OptionalLong.empty() : OptionalLong.of(tokens),
                background ? OptionalLong.empty() : OptionalLong.of(turns - 1),
                List.of(SMALL_MODEL),
                (int) Math.round(prefix * 0.75),
                prefix - (int) Math.round(prefix * 0.75),
                List.copyOf(requests)));
        if (!background) {
            now = marker;
        }
    }

    private double pause() {
        return PAUSE.draw(random) * options.timeScale();
    }

    /** Recordings have whole seconds; shrunken time keeps milliseconds. */
    private double seconds(double t) {
        return options.timeScale() == 1 ? Math.ceil(t) : millis(t);
    }

    private static double millis(double t) {
        return Math.ceil(t * 1000) / 1000;
    }

    private ObjectNode totals() {
        long in = 0;
        long out = 0;
        int subagents = 0;
        for (TraceEntry entry : entries) {
            switch (entry) {
                case TraceRequest r -> {
                    in += r.in();
                    out += r.out();
                }
                case SubagentEntry s -> subagents++;
            }
        }
        ObjectNode totals = Json.mapper().createObjectNode();
        totals.putObject("parent_tokens").put("input", in).put("output", out);
        totals.put("subagent_count", subagents);
        return totals;
    }

    /** The prompt of one agent as it grows. */
    private final class Chain {
        private final int prefixBlocks;
        private final double limit;
        private int[] ids;
        private double firstTokens;

        Chain(int prefixTokens, double firstTokens, double limit) {
            this.prefixBlocks = (prefixTokens + options.blockSize() - 1) / options.blockSize();
            this.firstTokens = Math.max(firstTokens, prefixBlocks * options.blockSize() + 1.0);
            this.limit = limit;
            this.ids = new int[0];
        }

        /** Subagents of a trace have the same tools and system prompt. */
        void sharePrefix() {
            if (sharedSubagentPrefix.length == 0) {
                sharedSubagentPrefix = fresh(prefixBlocks);
            }
            ids = sharedSubagentPrefix.clone();
        }

        TraceRequest next(double t, String model, boolean human, double pause, boolean first) {
            if (first) {
                ids = extended(ids, Math.max(prefixBlocks, (int) (firstTokens / options.blockSize())) - ids.length);
            } else {
                grow();
            }
            int in = ids.length * options.blockSize() + random.nextInt(options.blockSize());
            int out = Math.max(1, (int) Math.round(OUTPUT.draw(random) * options.outputScale()));
            double api = Math.round(DURATION.draw(random) * options.timeScale() * 1000) / 1000.0;
            boolean ends = random.nextDouble() < 0.06;
            return new TraceRequest(
                    t,
                    false,
                    model,
                    Math.max(1, in),
                    out,
                    ids,
                    List.of(human ? "text" : "tool_result"),
                    ends ? List.of("text") : List.of("text", "tool_use"),
                    ends ? "end_turn" : "tool_use",
                    OptionalDouble.of(api),
                    OptionalDouble.of(Math.round(pause * 1000) / 1000.0),
                    OptionalDouble.empty());
        }

        private void grow() {
            if ((double) ids.length * options.blockSize() > limit) {
                int summary = (int) (ids.length * (0.08 + 0.3 * random.nextDouble()));
                ids = extended(Arrays.copyOf(ids, prefixBlocks), Math.max(1, summary));
                return;
            }
            int room = ids.length - prefixBlocks;
            double kind = random.nextDouble();
            int lost = 0;
            int replaced = 0;
            if (kind < EDIT_SHARE) {
                lost = (int) (room * random.nextDouble());
            } else if (kind < EDIT_SHARE + REPLACE_SHARE) {
                lost = (int) (LOST_BLOCKS.draw(random) * growthScale * RECORDED_BLOCK / options.blockSize());
                lost = Math.min(room, Math.max(1, lost));
                replaced = lost - 1;
            }
            double blocks = NEW_BLOCKS.draw(random) * growthScale * RECORDED_BLOCK / options.blockSize();
            int fresh = replaced + Math.max(1, (int) Math.round(blocks));
            ids = extended(Arrays.copyOf(ids, ids.length - lost), fresh);
        }

        private int[] extended(int[] from, int more) {
            int[] out = Arrays.copyOf(from, from.length + Math.max(0, more));
            for (int i = from.length; i < out.length; i++) {
                out[i] = nextId++;
            }
            return out;
        }

        private int[] fresh(int count) {
            return extended(new int[0], count);
        }
    }
}
