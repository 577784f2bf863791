package rondo.agentx.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import rondo.agentx.WordTokenizer;
import rondo.agentx.trace.ContextScale;
import rondo.agentx.trace.SubagentEntry;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceReader;
import rondo.agentx.trace.TraceRequest;
import rondo.base.Shared;
import rondo.base.TokenIds;

/** What must hold for every prompt of the 64 recorded traces (agentx-protocol.md §13, items 1, 2, 5). */
class RealTracesTest {
    private static List<Trace> traces() {
        TraceReader.Loaded loaded = TraceReader.read(Shared.data("traces/dev-64.jsonl.gz"));
        assertThat(loaded.warnings()).isEmpty();
        assertThat(loaded.traces()).hasSize(64);
        return loaded.traces();
    }

    private static SessionPlan plan(Trace trace, PlanOptions options) {
        SessionPlanner.Planned planned = SessionPlanner.plan(trace, options);
        assertThat(planned.warnings()).isEmpty();
        return planned.plan();
    }

    @Test
    void everyPromptHasItsRecordedLengthAndEndsWithTheUser() {
        int conversations = 0;
        Map<ConversationKind, Integer> kinds = new TreeMap<>();
        for (Trace trace : traces()) {
            SessionPlan plan = plan(trace, PlanOptions.defaults());
            assertThat(plan.turnCount()).isEqualTo(trace.requestCount());
            for (Conversation c : plan.conversations()) {
                conversations++;
                kinds.merge(c.kind(), 1, Integer::sum);
                for (Turn turn : c.turns()) {
                    assertThat(turn.promptTokens())
                            .isEqualTo(recorded(trace, turn).in());
                    assertTiling(turn, plan.blockSize());
                }
            }
        }
        assertThat(kinds).containsEntry(ConversationKind.ROOT, 64).containsEntry(ConversationKind.SUBAGENT, 27);
        assertThat(conversations).isGreaterThan(64 + 27);
    }

    private static TraceRequest recorded(Trace trace, Turn turn) {
        return switch (trace.entries().get(turn.outer())) {
            case TraceRequest r -> r;
            case SubagentEntry s -> s.requests().get(turn.inner());
        };
    }

    private static void assertTiling(Turn turn, int blockSize) {
        int at = 0;
        int tokens = 0;
        for (int i = 0; i < turn.segments().size(); i++) {
            Segment s = turn.segments().get(i);
            assertThat(s.fromBlock()).isEqualTo(at);
            assertThat(s.toBlock()).isGreaterThanOrEqualTo(at);
            assertThat(s.tokens(blockSize)).isPositive();
            if (i < turn.segments().size() - 1) {
                assertThat(s.extraTokens()).isZero();
            }
            at = s.toBlock();
            tokens += s.tokens(blockSize);
        }
        assertThat(tokens).isEqualTo(turn.promptTokens());
        assertThat(turn.segments().getLast().role()).isEqualTo(Role.USER);
    }

    @Test
    void consecutiveScaledPromptsShareTheScaledPrefix() {
        for (int factor : new int[] {4, 32}) {
            for (Trace trace : traces()) {
                SessionPlan plan = plan(trace, PlanOptions.defaults().withScale(new ContextScale(factor)));
                for (Turn turn : plan.root().turns()) {
                    TraceRequest r = recorded(trace, turn);
                    int kept = (r.hashIds().length + factor - 1) / factor;
                    assertThat(turn.promptTokens()).isEqualTo(64 * kept + r.in() - 64 * r.hashIds().length);
                    assertTiling(turn, 64);
                }
            }
        }
    }

    @Test
    void theSameBlockHasTheSameTokensWhereverItOccursAndOtherTracesDiffer() {
        FillerPool pool = FillerPool.of(new WordTokenizer());
        PromptText text = new PromptText(pool, 42);
        Set<TokenIds> seen = new HashSet<>();
        for (Trace trace : traces().subList(0, 8)) {
            SessionPlan plan = plan(trace, PlanOptions.defaults().withScale(new ContextScale(16)));
            Map<Integer, TokenIds> blocks = new HashMap<>();
            for (Conversation c : plan.conversations()) {
                for (int k = 0; k < c.turns().size(); k++) {
                    for (Segment s : c.turns().get(k).segments()) {
                        TokenIds tokens = text.tokens(plan, c, k, s);
                        assertThat(tokens.length()).isEqualTo(s.tokens(64));
                        for (int b = s.fromBlock(); b < s.toBlock(); b++) {
                            int from = (b - s.fromBlock()) * 64;
                            TokenIds block = TokenIds.of(Arrays.copyOfRange(tokens.toArray(), from, from + 64));
                            TokenIds before =
                                    blocks.putIfAbsent(c.turns().get(k).hashIds()[b], block);
                            assertThat(before == null || before.equals(block)).isTrue();
                        }
                    }
                }
            }
            for (TokenIds block : blocks.values()) {
                assertThat(seen.add(block)).isTrue();
            }
        }
    }

    @Test
    void theoreticalHitsEqualAnIndependentComputation() {
        long hits = 0;
        long total = 0;
        for (Trace trace : traces()) {
            SessionPlan plan = plan(trace, PlanOptions.defaults());
            hits += plan.hitBlocks();
            total += plan.totalBlocks();
            assertThat(plan.hitBlocks()).isEqualTo(quadraticHits(plan));
        }
        assertThat((double) hits / total).isBetween(0.93, 0.985);
    }

    /** By definition: a block is a hit if some other request that holds it had ended when this one started. */
    private static long quadraticHits(SessionPlan plan) {
        Map<Integer, Double> earliestEnd = new HashMap<>();
        List<Turn> all = new ArrayList<>();
        plan.conversations().forEach(c -> all.addAll(c.turns()));
        for (Turn t : all) {
            for (int id : t.hashIds()) {
                // Requests of no recorded duration start and end at once; they never serve themselves.
                double end = t.end() > t.start() ? t.end() : Math.nextUp(t.start());
                earliestEnd.merge(id, end, Math::min);
            }
        }
        long hits = 0;
        for (Turn t : all) {
            int run = 0;
            while (run < t.hashIds().length && earliestEnd.get(t.hashIds()[run]) <= t.start()) {
                run++;
            }
            hits += Math.min(run, t.coveredBlocks());
        }
        return hits;
    }
}
