package rondo.agentx.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static rondo.agentx.Traces.ids;
import static rondo.agentx.Traces.range;
import static rondo.agentx.Traces.request;
import static rondo.agentx.Traces.subagent;
import static rondo.agentx.Traces.trace;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import rondo.agentx.WordTokenizer;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.trace.ContextScale;
import rondo.agentx.trace.SubagentTime;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceEntry;
import rondo.base.UserError;

/** The worked examples of agentx-protocol.md §12 that concern prompts and hits, fillers and markers. */
class PromptsTest {
    private static SessionPlan plan(TraceEntry... entries) {
        return SessionPlanner.plan(trace("e", entries), PlanOptions.defaults()).plan();
    }

    /** As in the worked examples: {@code "s8 u4 a8 u2"}. */
    private static String messages(SessionPlan plan, int conversation, int turn) {
        StringBuilder out = new StringBuilder();
        for (Segment s :
                plan.conversations().get(conversation).turns().get(turn).segments()) {
            out.append(out.isEmpty() ? "" : " ")
                    .append(s.role().wire().charAt(0))
                    .append(s.tokens(plan.blockSize()));
        }
        return out.toString();
    }

    private static List<String> root(SessionPlan plan) {
        return java.util.stream.IntStream.range(0, plan.root().turns().size())
                .mapToObj(k -> messages(plan, 0, k))
                .toList();
    }

    private static List<String> hits(SessionPlan plan, int conversation) {
        return plan.conversations().get(conversation).turns().stream()
                .map(t -> t.hitBlocks() + "/" + t.coveredBlocks())
                .toList();
    }

    @Test
    void x1LinearGrowth() {
        SessionPlan p = plan(
                request(0, 8, 3, range(1, 2), 1), request(5, 16, 4, range(1, 4), 1), request(9, 24, 2, range(1, 6), 1));
        assertThat(root(p)).containsExactly("u8", "u8 a4 u4", "u8 a4 u4 a4 u4");
        assertThat(hits(p, 0)).containsExactly("0/2", "2/4", "4/6");
        assertThat(p.root().turns().stream().map(Turn::delay)).containsExactly(0.0, 4.0, 3.0);
    }

    @Test
    void x2PartialTailsVanish() {
        SessionPlan p = plan(
                request(0, 10, 3, range(1, 2), 1),
                request(5, 19, 4, range(1, 4), 1),
                request(9, 21, 2, range(1, 5), 1));
        assertThat(root(p)).containsExactly("u10", "u8 a4 u7", "u8 a4 u4 a4 u1");
        assertThat(hits(p, 0)).containsExactly("0/2", "2/4", "4/5");
    }

    @Test
    void x3DeclaredPrefix() {
        Trace t = trace("e3", 3, 4, request(0, 13, 5, range(1, 3), 1), request(5, 22, 4, range(1, 5), 1));
        SessionPlan p = SessionPlanner.plan(t, PlanOptions.defaults()).plan();
        assertThat(root(p)).containsExactly("s8 u5", "s8 u4 a8 u2");
        assertThat(hits(p, 0)).containsExactly("0/3", "3/5");
    }

    @Test
    void x4APrefixLongerThanThePromptIsRefusedUnlessItsBlocksAreThere() {
        Trace wrong = trace("e4", 7, 4, request(0, 9, 5, range(1, 2), 1));
        assertThatThrownBy(() -> SessionPlanner.plan(wrong, PlanOptions.defaults()))
                .isInstanceOf(UserError.class)
                .hasMessage("trace: e4: tool_tokens + system_tokens take 3 blocks, but the first prompt has only 2");
        Trace right = trace("e4", 7, 4, request(0, 9, 5, range(1, 3), 1));
        assertThat(root(SessionPlanner.plan(right, PlanOptions.defaults()).plan()))
                .containsExactly("s8 u1");
    }

    @Test
    void x5TheAssistantMayNotTakeEverything() {
        assertThat(root(plan(request(0, 8, 20, range(1, 2), 1), request(5, 12, 4, range(1, 3), 1))))
                .containsExactly("u8", "u8 u4");
        assertThat(root(plan(request(0, 8, 20, range(1, 2), 1), request(5, 13, 4, range(1, 3), 1))))
                .containsExactly("u8", "u8 a4 u1");
    }

    @Test
    void x6ACompactionStaysTheSameConversation() {
        SessionPlan p = plan(
                request(0, 16, 3, range(1, 4), 1),
                request(5, 24, 9, range(1, 6), 1),
                request(9, 13, 2, ids(1, 2, 9), 1),
                request(13, 20, 2, ids(1, 2, 9, 10, 11), 1));
        assertThat(p.conversations()).hasSize(1);
        assertThat(root(p)).containsExactly("u16", "u16 a4 u4", "u8 a4 u1", "u8 a4 a4 u4");
        assertThat(hits(p, 0)).containsExactly("0/4", "4/6", "2/3", "3/5");
    }

    @Test
    void x7ADisjointRequestIsASidecar() {
        SessionPlan p = plan(
                request(0, 16, 3, range(1, 4), 2), request(3, 8, 2, ids(50, 51), 1), request(6, 24, 2, range(1, 6), 1));
        assertThat(p.conversations().stream().map(Conversation::id)).containsExactly("e", "e::aux:000");
        assertThat(root(p)).containsExactly("u16", "u16 a4 u4");
        assertThat(messages(p, 1, 0)).isEqualTo("u8");
        assertThat(hits(p, 1)).containsExactly("0/2");
        assertThat(p.root().turns().get(1).predecessors()).containsExactly(new TurnRef(1, 0));
    }

    @Test
    void x8AnIdenticalRepeatSendsTheSameMessages() {
        SessionPlan p = plan(
                request(0, 8, 4, range(1, 2), 1), request(5, 8, 4, range(1, 2), 1), request(9, 16, 1, range(1, 4), 1));
        assertThat(root(p)).containsExactly("u8", "u8", "u8 a4 u4");
        assertThat(hits(p, 0)).containsExactly("0/2", "2/2", "2/4");
    }

    @Test
    void x9APullBackEndsInAUserBlockBecauseTheShareWasLimitedBefore() {
        SessionPlan p = plan(
                request(0, 8, 8, range(1, 2), 1),
                request(5, 20, 4, range(1, 5), 1),
                request(9, 12, 2, range(1, 3), 1),
                request(12, 17, 1, ids(1, 2, 3, 6), 1));
        assertThat(root(p)).containsExactly("u8", "u8 u12", "u8 u4", "u8 u4 a4 u1");
        assertThat(hits(p, 0)).containsExactly("0/2", "2/5", "3/3", "3/4");
    }

    @Test
    void x10MissingBlocksBecomeFiller() {
        SessionPlan p = plan(request(0, 24, 8, range(1, 2), 1), request(5, 29, 4, range(1, 5), 1));
        assertThat(root(p)).containsExactly("u24", "u8 a8 u13");
        assertThat(hits(p, 0)).containsExactly("0/2", "2/5");
    }

    @Test
    void x15x16ChainsAreNamedByWhatTheyAre() {
        SessionPlan two = plan(
                request(0, 12, 4, range(1, 3), 1),
                request(2, 12, 4, ids(1, 2, 50), 2),
                request(2.5, 12, 4, ids(1, 2, 60), 2),
                request(5, 20, 4, ids(1, 2, 50, 51, 52), 2),
                request(5.5, 20, 4, ids(1, 2, 60, 61, 62), 2),
                request(9, 20, 4, range(1, 5), 1));
        assertThat(two.conversations().stream().map(Conversation::id)).containsExactly("e", "e::fa:000", "e::fa:001");
        assertThat(messages(two, 1, 1)).isEqualTo("u12 a4 u4");
        assertThat(hits(two, 1)).containsExactly("2/3", "3/5");
        SessionPlan other = plan(
                request(0, 16, 8, range(1, 4), 6),
                request(2, 12, 4, range(90, 92), 1, "h"),
                request(8, 24, 4, range(1, 6), 1));
        assertThat(other.conversations().get(1).id()).isEqualTo("e::aux:000");
        assertThat(other.conversations().get(1).turns().getFirst().model()).isEqualTo(1);
        assertThat(other.root().turns().getLast().model()).isZero();
    }

    @Test
    void x23HitsCountOnlyBlocksWhoseRequestHadEnded() {
        Trace t = trace(
                "e23",
                request(0, 12, 4, range(1, 3), 10),
                subagent("a", 1, -1, request(1, 12, 4, ids(1, 2, 9), 1)),
                subagent("b", 12, -1, request(12, 16, 4, ids(1, 2, 9, 10), 1)),
                request(14, 20, 4, range(1, 5), 1));
        SessionPlan p = SessionPlanner.plan(t, PlanOptions.defaults().withSubagentTime(SubagentTime.SPAWN))
                .plan();
        assertThat(hits(p, 0)).containsExactly("0/3", "3/5");
        assertThat(hits(p, 1)).containsExactly("0/3");
        assertThat(hits(p, 2)).containsExactly("3/4");
        assertThat(100.0 * p.hitBlocks() / p.totalBlocks()).isEqualTo(40);
    }

    @Test
    void outputCapsSpareSubagents() {
        Trace t = trace(
                "e",
                request(0, 8, 40, range(1, 2), 1),
                subagent("a", 1, 1000, request(1, 8, 40, range(70, 71), 1)),
                request(5, 16, 0, range(1, 4), 1));
        SessionPlan p = SessionPlanner.plan(t, PlanOptions.defaults().withMaxOutput(OptionalInt.of(8)))
                .plan();
        assertThat(p.root().turns().stream().map(Turn::maxTokens)).containsExactly(8, 1);
        assertThat(p.conversations().get(1).turns().getFirst().maxTokens()).isEqualTo(40);
    }

    @Test
    void scalingKeepsEveryFthBlockAndTheTail() {
        Trace t = trace("e", 8, 8, request(0, 42, 16, range(1, 10), 1), request(5, 67, 4, range(1, 16), 1));
        SessionPlan p = SessionPlanner.plan(t, PlanOptions.defaults().withScale(new ContextScale(3)))
                .plan();
        assertThat(p.root().turns().getFirst().hashIds()).containsExactly(1, 4, 7, 10);
        assertThat(root(p)).containsExactly("s8 u10", "s8 u8 a8 u3");
        assertThatThrownBy(() -> new ContextScale(0)).hasMessage("--scale-context must be >= 1, got 0");
    }

    @Test
    void fillersFollowThePublishedVectors() {
        Filler filler = new Filler(42);
        filler.block("e1", 1);
        assertThat(filler.state()).isEqualTo(0x2f6003bea2f34bfbL);
        assertThat(draw(filler, 4)).containsExactly(142, 115, 189, 74);
        filler.block("e1", 2);
        assertThat(filler.state()).isEqualTo(0x758fc27e82ceb3c4L);
        assertThat(draw(filler, 4)).containsExactly(527, 326, 734, 422);
        filler.tail("e2", 0);
        assertThat(filler.state()).isEqualTo(0xf3e444469544f7b4L);
        assertThat(draw(filler, 2)).containsExactly(667, 443);
    }

    private static int[] draw(Filler filler, int count) {
        int[] out = new int[count];
        for (int i = 0; i < count; i++) {
            out[i] = filler.next(1000);
        }
        return out;
    }

    @Test
    void theWordsOfAPromptComeBackFromTheTokenizer() {
        WordTokenizer tokenizer = new WordTokenizer();
        FillerPool pool = FillerPool.of(tokenizer);
        assertThat(pool.size()).isEqualTo(1000);
        PromptText text = new PromptText(pool, 1);
        SessionPlan p = plan(request(0, 10, 3, range(1, 2), 1), request(5, 19, 4, range(1, 4), 1));
        List<Segment> segments = p.root().turns().get(1).segments();
        List<PromptText.Message> messages = text.messages(p, p.root(), 1, Marker.NONE);
        for (int i = 0; i < segments.size(); i++) {
            assertThat(tokenizer.encode(messages.get(i).content(), false, false))
                    .isEqualTo(text.tokens(p, p.root(), 1, segments.get(i)));
        }
    }

    @Test
    void markersFollowThePublishedVectorsAndMarkOneMessage() {
        CacheBust prefix = CacheBust.FIRST_TURN_PREFIX;
        assertThat(Marker.mint(prefix, "run-0001", 0, 0, "trace_0001").text()).isEqualTo("[rid:563a7a3afa59]");
        assertThat(Marker.mint(prefix, "run-0001", 0, 1, "trace_0001").text()).isEqualTo("[rid:f59117571d7d]");
        assertThat(Marker.mint(prefix, "run-0001", 1, 0, "trace_0001").text()).isEqualTo("[rid:7f91825c892e]");
        assertThat(Marker.mint(prefix, "run-0001", 0, 0, "trace_0002").text()).isEqualTo("[rid:33a4a8c43a72]");
        assertThat(Marker.mint(prefix, "run-0002", 0, 0, "trace_0001").text()).isEqualTo("[rid:80f6bb1641a1]");
        Trace t = trace("e3", 3, 4, request(0, 13, 5, range(1, 3), 1));
        SessionPlan p = SessionPlanner.plan(t, PlanOptions.defaults()).plan();
        PromptText text = new PromptText(FillerPool.of(new WordTokenizer()), 1);
        for (CacheBust where : CacheBust.values()) {
            List<PromptText.Message> m = text.messages(p, p.root(), 0, Marker.mint(where, "b", 0, 0, "e3"));
            assertThat(m.get(0).content().contains("[rid:"))
                    .isEqualTo(where == CacheBust.SYSTEM_PREFIX || where == CacheBust.SYSTEM_SUFFIX);
            assertThat(m.get(1).content().startsWith("[rid:")).isEqualTo(where == prefix);
            assertThat(m.get(1).content().endsWith("]")).isEqualTo(where == CacheBust.FIRST_TURN_SUFFIX);
        }
    }
}
