package rondo.agentx.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static rondo.agentx.Traces.ids;
import static rondo.agentx.Traces.range;
import static rondo.agentx.Traces.request;
import static rondo.agentx.Traces.subagent;
import static rondo.agentx.Traces.trace;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.plan.PlanOptions;
import rondo.agentx.plan.PlanOptions.SpawnAnchor;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.SessionPlanner;
import rondo.agentx.plan.TurnRef;
import rondo.agentx.replay.VirtualReplay.Reply;
import rondo.agentx.synth.SynthOptions;
import rondo.agentx.synth.TraceSynth;
import rondo.agentx.trace.SubagentTime;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceReader;
import rondo.base.Seeds;
import rondo.base.Shared;

/** The worked examples of agentx-protocol.md §12 that concern time, and what must hold for every replay. */
class DispatcherTest {
    private static SessionPlan plan(Trace trace) {
        return plan(trace, PlanOptions.defaults());
    }

    private static SessionPlan plan(Trace trace, PlanOptions options) {
        return SessionPlanner.plan(trace, options).plan();
    }

    private static Function<TurnRequest, Reply> latency(double seconds) {
        return r -> Reply.after(seconds);
    }

    private static Function<TurnRequest, Reply> latency(double root, double child) {
        return r -> Reply.after(r.stream().isRoot() ? root : child);
    }

    private static ReplayOptions caps(OptionalDouble tree, OptionalDouble system) {
        return new ReplayOptions(
                1,
                Optional.empty(),
                Duration.ofSeconds(30),
                false,
                OptionalDouble.empty(),
                tree,
                system,
                CacheBust.NONE,
                "");
    }

    private static void assertSent(VirtualReplay replay, Map<String, Double> times) {
        times.forEach((name, time) -> assertThat(replay.sent(name)).as(name).isCloseTo(time, within(1e-6)));
        assertThat(replay.spans.keySet()).isEqualTo(times.keySet());
    }

    @Test
    void x1DelaysCountFromTheEndOfThePreviousTurn() {
        Trace t = trace(
                "e1",
                request(0, 8, 3, range(1, 2), 1),
                request(5, 16, 4, range(1, 4), 1),
                request(9, 24, 2, range(1, 6), 1));
        VirtualReplay r = new VirtualReplay(ReplayOptions.of(1), latency(3)).run(plan(t));
        assertSent(r, Map.of("root[0]", 0.0, "root[1]", 7.0, "root[2]", 13.0));
        assertThat(r.ended("root[2]")).isCloseTo(16, within(1e-6));
    }

    @Test
    void delaysCanBeLeftOutOrCapped() {
        Trace t = trace("e1", request(0, 8, 3, range(1, 2), 1), request(50, 16, 4, range(1, 4), 1));
        ReplayOptions base = ReplayOptions.of(1);
        ReplayOptions none = new ReplayOptions(
                1,
                base.duration(),
                base.grace(),
                true,
                base.delayCapSeconds(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                CacheBust.NONE,
                "");
        ReplayOptions capped = new ReplayOptions(
                1,
                base.duration(),
                base.grace(),
                false,
                OptionalDouble.of(2),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                CacheBust.NONE,
                "");
        assertThat(new VirtualReplay(none, latency(3)).run(plan(t)).sent("root[1]"))
                .isCloseTo(3, within(1e-6));
        assertThat(new VirtualReplay(capped, latency(3)).run(plan(t)).sent("root[1]"))
                .isCloseTo(5, within(1e-6));
    }

    private static final Trace X7 = trace(
            "e7",
            request(0, 16, 3, range(1, 4), 2),
            request(3, 8, 2, ids(50, 51), 1),
            request(6, 24, 2, range(1, 6), 1));

    @Test
    void x7ADisjointOneShotIsASidecarThatGatesTheNextTurn() {
        VirtualReplay r = new VirtualReplay(ReplayOptions.of(1), latency(1)).run(plan(X7));
        assertSent(r, Map.of("root[0]", 0.0, "aux:000[0]", 1.0, "root[1]", 5.0));
        VirtualReplay p = new VirtualReplay(ReplayOptions.of(1), latency(1))
                .run(plan(X7, PlanOptions.defaults().withSpawnAnchor(SpawnAnchor.PARENT_END)));
        assertSent(p, Map.of("root[0]", 0.0, "aux:000[0]", 2.0, "root[1]", 5.0));
    }

    private static final Trace X11 = trace(
            "e11",
            request(0, 8, 4, range(1, 2), 2),
            subagent("a", 3, 5000, request(3, 8, 4, range(70, 71), 2), request(6, 16, 4, range(70, 73), 2)),
            request(9, 16, 4, range(1, 4), 2));

    @Test
    void x11AJoinHoldsTheParentUntilTimerAndChildAreBothDone() {
        PlanOptions spawn = PlanOptions.defaults().withSubagentTime(SubagentTime.SPAWN);
        VirtualReplay late = new VirtualReplay(ReplayOptions.of(1), latency(2, 6)).run(plan(X11, spawn));
        assertSent(late, Map.of("root[0]", 0.0, "a[0]", 2.0, "a[1]", 9.0, "root[1]", 15.0));
        VirtualReplay early = new VirtualReplay(ReplayOptions.of(1), latency(2, 0.5)).run(plan(X11, spawn));
        assertSent(early, Map.of("root[0]", 0.0, "a[0]", 2.0, "a[1]", 3.5, "root[1]", 9.0));
    }

    @Test
    void anErrorOfAChildsLastTurnReleasesTheJoin() {
        PlanOptions spawn = PlanOptions.defaults().withSubagentTime(SubagentTime.SPAWN);
        VirtualReplay r = new VirtualReplay(
                        ReplayOptions.of(1),
                        q -> q.stream().isRoot() ? Reply.after(2) : new Reply(6, new Outcome.Failed(500, "x", "y")))
                .run(plan(X11, spawn));
        assertSent(r, Map.of("root[0]", 0.0, "a[0]", 2.0, "a[1]", 9.0, "root[1]", 15.0));
    }

    @Test
    void x12ALaneIsBusyUntilItsBackgroundChildIsDone() {
        Trace t = trace(
                "e12",
                request(0, 8, 4, range(1, 2), 2),
                subagent("a", 3, 20000, request(3, 8, 4, range(70, 71), 9)),
                request(5, 16, 4, range(1, 4), 1));
        SessionPlan plan = plan(t, PlanOptions.defaults().withSubagentTime(SubagentTime.SPAWN));
        VirtualReplay r = new VirtualReplay(ReplayOptions.of(1), latency(1, 9)).run(plan, plan);
        assertThat(r.sent("a[0]")).isCloseTo(1, within(1e-6));
        assertThat(r.sent("root[1]")).isCloseTo(4, within(1e-6));
        assertThat(r.playEnds.getFirst()).isCloseTo(10, within(1e-6));
        assertThat(r.spans.get("root[0]").get(1).sent()).isCloseTo(10, within(1e-6));
    }

    @Test
    void x13OverlappingSubagentsJoinAtDifferentTurns() {
        Trace t = trace(
                "e13",
                request(0, 8, 4, range(1, 2), 1),
                subagent("a", 1, 4000, request(1, 8, 4, range(70, 71), 4)),
                subagent("b", 2, 9000, request(2, 8, 4, range(80, 81), 9)),
                request(6, 16, 4, range(1, 4), 1),
                request(12, 24, 4, range(1, 6), 1));
        PlanOptions spawn = PlanOptions.defaults().withSubagentTime(SubagentTime.SPAWN);
        Function<TurnRequest, Reply> lat =
                q -> Reply.after(q.stream().isRoot() ? 1 : q.stream().id().endsWith("a") ? 3 : 14);
        VirtualReplay r = new VirtualReplay(ReplayOptions.of(1), lat).run(plan(t, spawn));
        assertSent(r, Map.of("root[0]", 0.0, "a[0]", 1.0, "b[0]", 1.0, "root[1]", 6.0, "root[2]", 15.0));
        VirtualReplay p =
                new VirtualReplay(ReplayOptions.of(1), lat).run(plan(t, spawn.withSpawnAnchor(SpawnAnchor.PARENT_END)));
        assertSent(p, Map.of("root[0]", 0.0, "a[0]", 1.0, "b[0]", 2.0, "root[1]", 6.0, "root[2]", 16.0));
    }

    @Test
    void x14AMarkerThatIsTheEndIsRecognised() {
        Trace t = trace(
                "e14",
                request(0, 8, 4, range(1, 2), 2),
                subagent("a", 12, 10000, request(0, 8, 4, range(70, 71), 3), request(5, 16, 4, range(70, 73), 4)),
                request(14, 16, 4, range(1, 4), 1),
                request(30, 24, 4, range(1, 6), 1));
        VirtualReplay end = new VirtualReplay(ReplayOptions.of(1), latency(2, 8)).run(plan(t));
        assertSent(end, Map.of("root[0]", 0.0, "a[0]", 2.0, "a[1]", 12.0, "root[1]", 20.0, "root[2]", 37.0));
        VirtualReplay spawn = new VirtualReplay(ReplayOptions.of(1), latency(2, 8))
                .run(plan(t, PlanOptions.defaults().withSubagentTime(SubagentTime.SPAWN)));
        assertSent(spawn, Map.of("root[0]", 0.0, "a[0]", 2.0, "a[1]", 12.0, "root[1]", 14.0, "root[2]", 31.0));
    }

    @Test
    void x15WorkersOfAGroupWaitForEachOther() {
        Trace t = trace(
                "e15",
                request(0, 12, 4, range(1, 3), 1),
                request(2, 12, 4, ids(1, 2, 50), 2),
                request(2.5, 12, 4, ids(1, 2, 60), 2),
                request(3, 12, 4, ids(1, 2, 70), 2),
                request(5, 20, 4, ids(1, 2, 50, 51, 52), 2),
                request(5.5, 20, 4, ids(1, 2, 60, 61, 62), 2),
                request(6, 20, 4, ids(1, 2, 70, 71, 72), 2),
                request(9, 20, 4, range(1, 5), 1));
        VirtualReplay r = new VirtualReplay(ReplayOptions.of(1), latency(3)).run(plan(t));
        Map<String, Double> times = new HashMap<>();
        times.put("root[0]", 0.0);
        times.put("root[1]", 11.0);
        for (int w = 0; w < 3; w++) {
            times.put("wg:000_00" + w + "[0]", 3 + 0.5 * w);
            times.put("wg:000_00" + w + "[1]", 7 + 0.5 * w);
        }
        assertSent(r, times);
    }

    @Test
    void x16ASidecarInsideARunningRequestStartsAfterIt() {
        Trace t = trace(
                "e16",
                request(0, 16, 8, range(1, 4), 6),
                request(2, 12, 4, range(90, 92), 1, "h"),
                request(8, 24, 4, range(1, 6), 1));
        VirtualReplay r = new VirtualReplay(ReplayOptions.of(1), latency(6, 4)).run(plan(t));
        assertSent(r, Map.of("root[0]", 0.0, "aux:000[0]", 6.0, "root[1]", 10.0));
    }

    @Test
    void x17ABarrierDelaysSideChainAndMainChain() {
        Trace t = trace(
                "e17",
                request(0, 12, 4, range(1, 3), 1),
                request(2, 12, 4, ids(1, 2, 50), 3),
                request(2.5, 20, 4, range(1, 5), 1),
                request(6, 20, 4, ids(1, 2, 50, 51, 52), 3),
                request(10, 28, 4, range(1, 7), 1));
        VirtualReplay r = new VirtualReplay(ReplayOptions.of(1), latency(1, 6)).run(plan(t));
        assertSent(r, Map.of("root[0]", 0.0, "fa:000[0]", 1.0, "root[1]", 2.5, "fa:000[1]", 8.0, "root[2]", 14.0));
    }

    private static final Trace X18 = trace(
            "e18",
            request(0, 8, 4, range(1, 2), 1),
            request(21, 16, 4, range(1, 4), 1),
            request(24, 24, 4, range(1, 6), 1));

    @Test
    void x18IdleCapsMoveTimersEarlier() {
        OptionalDouble off = OptionalDouble.empty();
        OptionalDouble five = OptionalDouble.of(5);
        OptionalDouble ten = OptionalDouble.of(10);
        assertX18(caps(off, off), 22, 26);
        assertX18(caps(five, off), 7, 11);
        assertX18(caps(off, ten), 12, 16);
        assertX18(caps(five, ten), 7, 11);
    }

    private static void assertX18(ReplayOptions options, double second, double third) {
        VirtualReplay r = new VirtualReplay(options, latency(2)).run(plan(X18));
        assertSent(r, Map.of("root[0]", 0.0, "root[1]", second, "root[2]", third));
    }

    @Test
    void x18ARunningChildBlocksTheTreesWatchdog() {
        Trace t = trace(
                "e18",
                request(0, 8, 4, range(1, 2), 1),
                subagent("a", 1, 40000, request(1, 8, 4, range(70, 71), 2), request(40, 16, 4, range(70, 73), 1)),
                request(50, 16, 4, range(1, 4), 1));
        VirtualReplay r = new VirtualReplay(caps(OptionalDouble.of(5), OptionalDouble.empty()), latency(3))
                .run(plan(t, PlanOptions.defaults().withSubagentTime(SubagentTime.SPAWN)));
        assertSent(r, Map.of("root[0]", 0.0, "a[0]", 3.0, "a[1]", 11.0, "root[1]", 19.0));
        assertThat(r.dispatcher.idleSkips().treeSeconds()).isCloseTo(33, within(1e-6));
    }

    @Test
    void x18TheSystemCapMovesAllTreesByTheSameAmount() {
        Trace a = trace("a", request(0, 8, 4, range(1, 2), 1), request(31, 16, 4, range(1, 4), 1));
        Trace b = trace("b", request(0, 8, 4, range(1, 2), 1), request(41, 16, 4, range(1, 4), 1));
        ReplayOptions one = caps(OptionalDouble.empty(), OptionalDouble.of(10));
        ReplayOptions two = new ReplayOptions(
                2,
                one.duration(),
                one.grace(),
                false,
                one.delayCapSeconds(),
                one.treeIdleSeconds(),
                one.systemIdleSeconds(),
                CacheBust.NONE,
                "");
        VirtualReplay r =
                new VirtualReplay(two, q -> Reply.after(q.stream().id().equals("a") ? 2 : 4)).run(plan(a), plan(b));
        assertThat(r.spans.get("root[1]").getFirst().sent()).isCloseTo(14, within(1e-6));
        assertThat(r.spans.get("root[1]").getLast().sent()).isCloseTo(26, within(1e-6));
    }

    @Test
    void x22AnOverflowRecyclesTheLaneAndAnErrorDoesNot() {
        Trace x = trace(
                "X",
                request(0, 8, 4, range(1, 2), 1),
                request(4, 16, 4, range(1, 4), 1),
                request(9, 24, 4, range(1, 6), 1));
        Trace y = trace("Y", request(0, 8, 4, range(1, 2), 1), request(5, 16, 4, range(1, 4), 1));
        Map<String, Reply> script = Map.of(
                "X0",
                Reply.after(2),
                "X1",
                new Reply(0.5, new Outcome.Overflow(400, "x", "maximum context length is 16 tokens")),
                "Y0",
                new Reply(0.5, new Outcome.Failed(500, "x", "y")),
                "Y1",
                Reply.after(1));
        VirtualReplay r = new VirtualReplay(
                        ReplayOptions.of(1), q -> script.get(q.stream().id() + q.turn()))
                .run(plan(x), plan(y));
        assertThat(r.results.stream()
                        .map(q -> q.request().stream().id() + q.request().turn() + "@" + r.seconds(q.start())))
                .containsExactly("X0@0.0", "X1@5.0", "Y0@5.5", "Y1@10.0");
        assertThat(r.plays.get(0).rootCorrelationId())
                .isNotEqualTo(r.plays.get(1).rootCorrelationId());
    }

    @Test
    void anEarlyEndOfAChildReleasesWhatWaitsForItsLaterTurns() {
        Trace t = trace(
                "e17",
                request(0, 12, 4, range(1, 3), 1),
                request(2, 12, 4, ids(1, 2, 50), 3),
                request(2.5, 20, 4, range(1, 5), 1),
                request(6, 20, 4, ids(1, 2, 50, 51, 52), 3),
                request(10, 28, 4, range(1, 7), 1));
        VirtualReplay r = new VirtualReplay(
                        ReplayOptions.of(1),
                        q -> q.stream().isRoot()
                                ? Reply.after(1)
                                : new Reply(6, new Outcome.Overflow(400, "x", "context length")))
                .run(plan(t));
        assertSent(r, Map.of("root[0]", 0.0, "fa:000[0]", 1.0, "root[1]", 2.5, "root[2]", 10.0));
    }

    @Test
    void nothingIsSentAfterTheDeadlineAndTheGraceCutsOff() {
        ReplayOptions options = new ReplayOptions(
                2,
                Optional.of(Duration.ofSeconds(20)),
                Duration.ofSeconds(3),
                false,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                CacheBust.FIRST_TURN_PREFIX,
                "b");
        SessionPlan plan = plan(X18);
        VirtualReplay r = new VirtualReplay(options, q -> Reply.after(q.play().lane() == 0 ? 2 : 9))
                .run(TraceSampler.endless(List.of(plan), TraceSampler.Order.SEQUENTIAL, 1));
        for (TurnResult result : r.results) {
            assertThat(r.seconds(result.start())).isLessThan(20);
            assertThat(r.seconds(result.end())).isLessThanOrEqualTo(23 + 1e-6);
        }
        assertThat(r.dispatcher.done()).isTrue();
        assertThat(r.dispatcher.inFlight()).isZero();
    }

    @Test
    void everyPlayHasAMarkerOfItsOwnAndPassesCountUp() {
        ReplayOptions options = new ReplayOptions(
                2,
                Optional.empty(),
                Duration.ofSeconds(3),
                true,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                CacheBust.FIRST_TURN_PREFIX,
                "run-0001");
        SessionPlan plan = plan(trace("trace_0001", request(0, 8, 1, range(1, 2), 1)));
        VirtualReplay r = new VirtualReplay(options, latency(1))
                .run(TraceSampler.endless(List.of(plan), TraceSampler.Order.SEQUENTIAL, 1)
                        .limit(5));
        assertThat(r.plays.stream().map(Play::pass)).containsExactly(0, 1, 2, 3, 4);
        assertThat(r.plays.get(0).marker().text()).isEqualTo("[rid:563a7a3afa59]");
        assertThat(r.plays.get(1).marker().text()).isEqualTo("[rid:f3b5fd7c4725]");
        assertThat(new HashSet<>(r.plays.stream().map(p -> p.marker().text()).toList()))
                .hasSize(5);
    }

    @Test
    void everyTurnIsSentOnceInOrderAfterItsDelayItsBarriersAndItsChildren() {
        Seeds.forEach(30, random -> {
            List<SessionPlan> plans = TraceSynth.make(SynthOptions.small(random.nextLong(), 6, 6, 300, 60)).stream()
                    .map(DispatcherTest::plan)
                    .toList();
            VirtualReplay r = new VirtualReplay(
                            ReplayOptions.of(1 + random.nextInt(4)),
                            q -> new Reply(
                                    random.nextDouble() * 2,
                                    random.nextInt(9) == 0 ? new Outcome.Failed(500, "x", "y") : Outcome.SUCCESS))
                    .run(plans.toArray(SessionPlan[]::new));
            Map<String, TurnResult> all = new HashMap<>();
            r.results.forEach(
                    x -> all.put(x.request().stream().id() + "#" + x.request().turn(), x));
            int turns = plans.stream().mapToInt(SessionPlan::turnCount).sum();
            assertThat(r.results).hasSize(turns);
            assertThat(all).hasSize(turns);
            for (SessionPlan plan : plans) {
                assertOrder(plan, all);
            }
        });
    }

    private static void assertOrder(SessionPlan plan, Map<String, TurnResult> all) {
        for (var c : plan.conversations()) {
            for (int k = 0; k < c.turns().size(); k++) {
                TurnResult it = all.get(c.id() + "#" + k);
                if (k > 0) {
                    long previous = all.get(c.id() + "#" + (k - 1)).end();
                    assertThat(it.start() - previous)
                            .isGreaterThanOrEqualTo(Math.round(c.turns().get(k).delay() * 1e9) - 1);
                } else if (!c.isRoot()) {
                    assertThat(it.start())
                            .isGreaterThanOrEqualTo(all.get(plan.traceId() + "#" + c.spawnTurn())
                                    .end());
                }
                for (TurnRef before : c.turns().get(k).predecessors()) {
                    String id = plan.conversations().get(before.conversation()).id();
                    assertThat(it.start())
                            .isGreaterThanOrEqualTo(
                                    all.get(id + "#" + before.turn()).end());
                }
            }
            if (c.gateTurn() >= 0) {
                long last = all.get(c.id() + "#" + (c.turns().size() - 1)).end();
                assertThat(all.get(plan.traceId() + "#" + c.gateTurn()).start()).isGreaterThanOrEqualTo(last);
            }
        }
    }

    @Test
    void theRecordedTracesReplayWholeWithoutABrokenBarrier() {
        List<Trace> traces =
                TraceReader.read(Shared.data("traces/dev-64.jsonl.gz")).traces();
        SessionPlan[] plans = traces.stream().map(DispatcherTest::plan).toArray(SessionPlan[]::new);
        VirtualReplay r = new VirtualReplay(ReplayOptions.of(8), latency(5)).run(plans);
        assertThat(r.results)
                .hasSize(traces.stream().mapToInt(Trace::requestCount).sum());
        assertThat(r.dispatcher.brokenBarriers()).isZero();
        assertThat(r.mostTrees).isEqualTo(8);
        Map<String, TurnResult> all = new HashMap<>();
        r.results.forEach(
                x -> all.put(x.request().stream().id() + "#" + x.request().turn(), x));
        for (SessionPlan plan : plans) {
            assertOrder(plan, all);
        }
    }
}
