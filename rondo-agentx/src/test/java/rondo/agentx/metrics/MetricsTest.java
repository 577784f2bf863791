package rondo.agentx.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import rondo.agentx.Traces;
import rondo.agentx.plan.Marker;
import rondo.agentx.plan.PlanOptions;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.SessionPlanner;
import rondo.agentx.replay.Outcome;
import rondo.agentx.replay.Play;
import rondo.agentx.replay.TurnRequest;
import rondo.agentx.replay.TurnResult;
import rondo.agentx.replay.Usage;

/** X19 of agentx-protocol.md §12, and what a sceptic asks of totals. */
class MetricsTest {
    private static final SessionPlan PLAN = SessionPlanner.plan(Traces.growing("t", 3, 5), PlanOptions.defaults())
            .plan();

    private static RequestRecord record(int turn, long startMs, int prompt, int cached, int out, long... contentMs) {
        Play play = new Play(PLAN, 0, 0, 0, Marker.NONE, List.of("c"));
        long[] times = new long[contentMs.length];
        for (int i = 0; i < times.length; i++) {
            times[i] = (startMs + contentMs[i]) * 1_000_000;
        }
        Usage usage = new Usage(OptionalInt.of(prompt), OptionalInt.of(out), OptionalInt.of(cached));
        TurnResult result = new TurnResult(
                new TurnRequest(play, 0, turn, "r" + turn + startMs),
                Outcome.SUCCESS,
                startMs * 1_000_000,
                startMs * 1_000_000,
                (startMs + 1) * 1_000_000,
                times[times.length - 1] + 6_000_000,
                times,
                0,
                usage,
                "");
        return new RequestRecord(result, prompt, out, true);
    }

    @Test
    void x19OneRequest() {
        RequestRecord r = record(0, 0, 100, 64, 5, 500, 600, 900);
        assertThat(r.ttftMillis()).hasValue(500);
        assertThat(r.ttstMillis()).hasValue(100);
        assertThat(r.latencyMillis()).hasValue(900);
        assertThat(r.itlMillis()).hasValue(100);
        assertThat(r.speed()).hasValue(10);
        assertThat(RecordMetric.E2E_SPEED.of(r).getAsDouble()).isCloseTo(5.556, within(0.001));
        RunSummary s = RunSummary.of(List.of(r));
        assertThat(s.measuredHitPercent()).hasValue(64);
    }

    @Test
    void x19PercentilesOfFiveRequests() {
        List<RequestRecord> records = new ArrayList<>();
        for (long itl : new long[] {10, 20, 30, 40, 100}) {
            records.add(record(0, itl, 100, 0, 2, 50, 50 + itl));
        }
        RunSummary s = RunSummary.of(records);
        assertThat(s.of(RecordMetric.ITL).percentile(50)).isEqualTo(30);
        assertThat(s.of(RecordMetric.ITL).percentile(90)).isCloseTo(76, within(1e-9));
        assertThat(s.interactivity(90)).isCloseTo(13.158, within(0.001));
        assertThat(s.speed(50)).isCloseTo(33.33, within(0.01));
        assertThat(s.speed(90)).isCloseTo(80, within(1e-9));
        assertThat(s.of(RecordMetric.SPEED).percentile(10)).isCloseTo(16, within(1e-9));
    }

    @Test
    void hitsAreWeightedByTokensAndThroughputsAddUp() {
        RequestRecord big = record(0, 0, 100_000, 99_000, 100, 1000, 2000);
        RequestRecord small = record(1, 2000, 100, 0, 100, 500, 1000);
        RunSummary s = RunSummary.of(List.of(big, small));
        assertThat(s.measuredHitPercent().getAsDouble()).isCloseTo(98.9, within(0.01));
        assertThat(s.durationSeconds()).isCloseTo(3, within(1e-9));
        assertThat(s.totalTokensPerSecond()).isCloseTo(100_300 / 3.0, within(1e-6));
        assertThat(s.outputTokensPerSecond()).isCloseTo(200 / 3.0, within(1e-6));
    }

    @Test
    void statisticsInterpolateBetweenRanks() {
        Distribution d = Distribution.of(4, 1, 3, 2);
        assertThat(d.percentile(0)).isEqualTo(1);
        assertThat(d.percentile(50)).isEqualTo(2.5);
        assertThat(d.percentile(100)).isEqualTo(4);
        assertThat(d.std()).isCloseTo(1.118, within(0.001));
        assertThat(Distribution.of().percentile(50)).isZero();
    }
}
