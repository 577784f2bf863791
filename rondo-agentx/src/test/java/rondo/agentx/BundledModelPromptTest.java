package rondo.agentx;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.agentx.plan.Conversation;
import rondo.agentx.plan.FillerPool;
import rondo.agentx.plan.Marker;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.plan.PlanOptions;
import rondo.agentx.plan.PromptText;
import rondo.agentx.plan.PromptText.Message;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.SessionPlanner;
import rondo.agentx.plan.Turn;
import rondo.agentx.synth.SynthOptions;
import rondo.agentx.synth.TraceSynth;
import rondo.agentx.trace.Trace;
import rondo.base.Shared;
import rondo.base.TokenIds;
import rondo.text.HuggingFaceTokenizer;

/** Prompts through the bundled model's own tokenizer and template. */
class BundledModelPromptTest {
    @Test
    void promptsHaveTheirExactLengthAndShareTheirExactPrefix() {
        Path model = Shared.root().resolve("models/glimmer-mini");
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.load(model)) {
            FillerPool pool = FillerPool.of(tokenizer);
            assertThat(pool.size()).isGreaterThan(1000);
            PromptText text = new PromptText(pool, 42);
            ServedPrompt served = ServedPrompt.of(model, tokenizer);
            for (Trace trace : TraceSynth.make(SynthOptions.small(3, 3, 4, 300, 60))) {
                SessionPlan plan =
                        SessionPlanner.plan(trace, PlanOptions.defaults()).plan();
                Marker marker = Marker.mint(CacheBust.FIRST_TURN_PREFIX, "b", 0, 0, trace.id());
                for (Conversation c : plan.conversations()) {
                    check(plan, c, text, served, marker, tokenizer);
                }
            }
        }
    }

    private static void check(
            SessionPlan plan,
            Conversation c,
            PromptText text,
            ServedPrompt served,
            Marker marker,
            HuggingFaceTokenizer tokenizer) {
        TokenIds before = TokenIds.empty();
        for (int k = 0; k < c.turns().size(); k++) {
            Turn turn = c.turns().get(k);
            List<Message> messages = text.messages(plan, c, k, Marker.NONE);
            int tokens = messages.stream()
                    .mapToInt(m -> tokenizer.encode(m.content(), false, false).length())
                    .sum();
            assertThat(tokens).isEqualTo(turn.promptTokens());
            TokenIds prompt = served.apply(text.messages(plan, c, k, marker));
            // Three header tokens and an end per message, one begin, the marker, the head of the answer.
            assertThat(prompt.length() - tokens).isBetween(4 * messages.size(), 6 * messages.size() + 60);
            if (k > 0) {
                int shared = turn.segments().stream()
                        .mapToInt(s -> s.toBlock())
                        .filter(b -> b <= turn.hitBlocks())
                        .max()
                        .orElse(0);
                assertThat(prompt.commonPrefix(before)).isGreaterThanOrEqualTo(shared * plan.blockSize());
            }
            before = prompt;
        }
    }
}
