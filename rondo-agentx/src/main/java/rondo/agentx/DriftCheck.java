package rondo.agentx;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import rondo.agentx.plan.ByteSink;
import rondo.agentx.plan.Conversation;
import rondo.agentx.plan.PromptText;
import rondo.agentx.plan.Segment;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.Turn;
import rondo.base.UserError;
import rondo.text.Tokenizer;

/** Whether prompts come out of the tokenizer as long as they went in (agentx-protocol.md R6). */
final class DriftCheck {
    private static final int SAMPLES = 64;
    private static final double MOST_TOKENS = 2;
    private static final double MOST_SHARE = 0.001;

    private final Tokenizer tokenizer;
    private final PromptText text;

    DriftCheck(Tokenizer tokenizer, PromptText text) {
        this.tokenizer = tokenizer;
        this.text = text;
    }

    void check(List<SessionPlan> plans, boolean allowed) {
        SplittableRandom random = new SplittableRandom(plans.size());
        double drift = 0;
        double tokens = 0;
        for (int i = 0; i < SAMPLES; i++) {
            SessionPlan plan = plans.get(random.nextInt(plans.size()));
            Conversation c =
                    plan.conversations().get(random.nextInt(plan.conversations().size()));
            int k = random.nextInt(c.turns().size());
            Turn turn = c.turns().get(k);
            Segment segment = turn.segments().get(random.nextInt(turn.segments().size()));
            ByteSink out = new ByteSink(segment.tokens(plan.blockSize()) * 8);
            text.append(plan, c, k, segment, out);
            String content = new String(out.toArray(), StandardCharsets.US_ASCII);
            int expected = segment.tokens(plan.blockSize());
            drift += Math.abs(tokenizer.encode(content, false, false).length() - expected);
            tokens += expected;
        }
        boolean fits = drift / SAMPLES <= MOST_TOKENS && drift / tokens <= MOST_SHARE;
        if (!fits && !allowed) {
            throw new UserError(
                    UserError.USAGE,
                    String.format(
                            Locale.ROOT,
                            "bench: the tokenizer does not give back its own words: %.2f tokens drift per message (at most %.0f,"
                                    + " and 0.1 %% of the prompt); --allow-drift runs all the same",
                            drift / SAMPLES,
                            MOST_TOKENS));
        }
    }
}
