package rondo.agentx.synth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.agentx.metrics.Distribution;
import rondo.agentx.plan.ConversationKind;
import rondo.agentx.plan.PlanOptions;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.SessionPlanner;
import rondo.agentx.trace.ContextScale;
import rondo.agentx.trace.SubagentEntry;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceReader;
import rondo.agentx.trace.TraceRequest;
import rondo.agentx.trace.TraceSelection;
import rondo.agentx.trace.TraceWriter;
import rondo.base.UserError;

/** Synthetic traces have the statistics of recorded ones (agentx-protocol.md §1.3, §1.5), within stated tolerances. */
class TraceSynthTest {
    private static final List<Trace> TRACES = TraceSynth.make(SynthOptions.real(7, 250));

    private static List<TraceRequest> roots(Trace trace) {
        return trace.entries().stream()
                .filter(TraceRequest.class::isInstance)
                .map(TraceRequest.class::cast)
                .toList();
    }

    private static Distribution all(java.util.function.ToDoubleFunction<TraceRequest> value) {
        return Distribution.of(TRACES.stream()
                .flatMap(t -> roots(t).stream())
                .mapToDouble(value)
                .toArray());
    }

    @Test
    void promptsAndOutputsAreAsLongAsRecordedOnes() {
        Distribution in = all(TraceRequest::in);
        assertThat(in.percentile(50)).isCloseTo(103_662, within(0.12 * 103_662));
        assertThat(in.percentile(10)).isCloseTo(42_419, within(0.25 * 42_419));
        assertThat(in.percentile(90)).isCloseTo(233_633, within(0.25 * 233_633));
        Distribution out = all(TraceRequest::out);
        assertThat(out.percentile(50)).isCloseTo(216, within(11.0));
        assertThat(out.percentile(10)).isCloseTo(105, within(6.0));
        assertThat(out.percentile(90)).isCloseTo(898, within(60.0));
        Distribution turns = Distribution.of(
                TRACES.stream().mapToDouble(t -> roots(t).size()).toArray());
        assertThat(turns.percentile(50)).isCloseTo(45, within(10.0));
        assertThat(turns.percentile(10)).isCloseTo(7, within(3.0));
    }

    @Test
    void pausesAreAsHeavyTailedAsRecordedOnes() {
        List<Double> pauses = new ArrayList<>();
        for (Trace trace : TRACES) {
            List<TraceRequest> r = roots(trace);
            for (int k = 1; k < r.size() && trace.entries().size() == r.size(); k++) {
                pauses.add(r.get(k).t() - r.get(k - 1).end());
            }
        }
        Distribution d = Distribution.of(pauses);
        // Times are whole seconds, so half a second is added on average.
        assertThat(d.percentile(50)).isCloseTo(9.6, within(1.2));
        assertThat(d.percentile(10)).isCloseTo(4.0, within(1.0));
        assertThat(d.percentile(90)).isCloseTo(118, within(18.0));
    }

    @Test
    void promptsMostlyGrowByAppendingAndSometimesLoseTheirEnd() {
        int pairs = 0;
        int appends = 0;
        int shorter = 0;
        List<Double> fresh = new ArrayList<>();
        for (Trace trace : TRACES) {
            List<TraceRequest> r = roots(trace);
            for (int k = 1; k < r.size(); k++) {
                int[] a = r.get(k - 1).hashIds();
                int[] b = r.get(k).hashIds();
                int common = Arrays.mismatch(a, b) < 0 ? a.length : Arrays.mismatch(a, b);
                pairs++;
                appends += common == a.length ? 1 : 0;
                shorter += r.get(k).in() < r.get(k - 1).in() ? 1 : 0;
                if (common == a.length) {
                    fresh.add((double) b.length - a.length);
                }
            }
        }
        assertThat((double) appends / pairs).isCloseTo(0.931, within(0.015));
        assertThat((double) shorter / pairs).isBetween(0.003, 0.02);
        assertThat(Distribution.of(fresh).percentile(50)).isCloseTo(13, within(2.0));
    }

    @Test
    void anUnboundedCacheHitsAsOftenAsOnRecordedTraces() {
        long hits = 0;
        long total = 0;
        for (Trace trace : TRACES) {
            SessionPlanner.Planned planned = SessionPlanner.plan(trace, PlanOptions.defaults());
            assertThat(planned.warnings()).isEmpty();
            hits += planned.plan().hitBlocks();
            total += planned.plan().totalBlocks();
        }
        assertThat(100.0 * hits / total).isCloseTo(96.3, within(1.0));
    }

    @Test
    void subagentsAreJoinedAtTheirMarkersAsInRecordings() {
        long with = TRACES.stream()
                .filter(t -> t.entries().stream().anyMatch(SubagentEntry.class::isInstance))
                .count();
        assertThat(with).isEqualTo(25);
        int gating = 0;
        int background = 0;
        for (Trace trace : TRACES) {
            SessionPlan plan =
                    SessionPlanner.plan(trace, PlanOptions.defaults()).plan();
            for (var c : plan.conversations()) {
                if (c.kind() == ConversationKind.SUBAGENT) {
                    assertThat(c.turns().size()).isBetween(4, 24);
                    gating += c.gateTurn() == c.spawnTurn() + 1 ? 1 : 0;
                    background += c.gateTurn() != c.spawnTurn() + 1 ? 1 : 0;
                }
            }
        }
        assertThat(gating).isGreaterThan(4 * background);
    }

    @Test
    void theSameSeedGivesTheSameTracesAndAnotherSeedOthers(@TempDir Path dir) throws Exception {
        SynthOptions options = SynthOptions.small(5, 6, 4, 300, 60);
        TraceWriter.write(dir.resolve("a.jsonl"), TraceSynth.make(options));
        TraceWriter.write(dir.resolve("b.jsonl"), TraceSynth.make(options));
        TraceWriter.write(dir.resolve("c.jsonl"), TraceSynth.make(SynthOptions.small(6, 6, 4, 300, 60)));
        assertThat(Files.readString(dir.resolve("a.jsonl")))
                .isEqualTo(Files.readString(dir.resolve("b.jsonl")))
                .isNotEqualTo(Files.readString(dir.resolve("c.jsonl")));
    }

    @Test
    void writtenTracesReadBackEqual(@TempDir Path dir) {
        List<Trace> traces = TraceSynth.make(SynthOptions.small(5, 8, 5, 300, 60));
        Path file = dir.resolve("made.jsonl.gz");
        TraceWriter.write(file, traces);
        TraceReader.Loaded loaded = TraceReader.read(file);
        assertThat(loaded.warnings()).isEmpty();
        assertThat(loaded.traces()).usingRecursiveComparison().isEqualTo(traces);
    }

    @Test
    void smallTracesAreSmall() {
        List<Trace> traces = TraceSynth.make(SynthOptions.small(1, 8, 6, 600, 100));
        TraceSelection all = TraceSelection.all();
        for (Trace trace : traces) {
            assertThat(roots(trace)).hasSize(6);
            assertThat(roots(trace).getFirst().in()).isBetween(300, 1100);
            assertThat(all.peak(trace, ContextScale.NONE)).isLessThan(20_000);
        }
        assertThat(traces.stream().filter(t -> t.entries().stream().anyMatch(SubagentEntry.class::isInstance)))
                .hasSize(2);
    }

    @Test
    void impossibleOptionsAreRefusedByName() {
        assertThatThrownBy(() -> SynthOptions.real(1, 0))
                .isInstanceOf(UserError.class)
                .hasMessage("traces: --traces must be >= 1, got 0");
        assertThat(SynthOptions.real(1, 1).turns()).isEqualTo(OptionalInt.empty());
    }
}
