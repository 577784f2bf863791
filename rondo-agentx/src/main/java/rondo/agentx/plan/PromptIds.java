package rondo.agentx.plan;

import rondo.base.TokenIds;

/**
 * The prompts of a plan as token ids of a vocabulary without words, for an engine that is asked directly: the same
 * lengths and the same shared prefixes as the text that {@link PromptText} makes. One thread at a time.
 *
 * <p>A recording says nothing about the tokens behind a prompt's last whole block. Either they are unlike everything
 * else, as in the text; or, <em>continued</em>, they and the reply are the tokens with which the next turn's prompt goes
 * on, as when an agent sends back what it was answered.
 */
public final class PromptIds {
    private final int vocabulary;
    private final boolean continued;
    private final Filler filler;

    /**
     * @param vocabulary ids are below this
     * @param continued  whether a conversation's next prompt goes on from the reply
     */
    public PromptIds(int vocabulary, long seed, boolean continued) {
        this.vocabulary = vocabulary;
        this.continued = continued;
        this.filler = new Filler(seed);
    }

    /**
     * The prompt of a turn, before marker and chat template.
     *
     * @param before the prompt of the turn before, whose memory is shared where both agree; empty for a first turn
     */
    public TokenIds prompt(SessionPlan plan, Conversation conversation, int turn, TokenIds before) {
        Turn what = conversation.turns().get(turn);
        int shared = turn == 0 ? 0 : sharedBlocks(conversation.turns().get(turn - 1), what);
        int kept = Math.min(shared * plan.blockSize(), before.length());
        int[] rest = new int[what.promptTokens() - kept];
        text(plan, conversation, turn, kept, rest, 0);
        return before.prefix(kept).append(rest, 0, rest.length);
    }

    /** The reply of a turn as far as the next prompt contains it, at most {@code count} tokens; else nothing. */
    public int[] reply(SessionPlan plan, Conversation conversation, int turn, int count) {
        if (!goesOn(conversation, turn)) {
            return new int[0];
        }
        int from = conversation.turns().get(turn).promptTokens();
        int next = conversation.turns().get(turn + 1).promptTokens();
        int[] out = new int[Math.min(count, next - from)];
        text(plan, conversation, turn + 1, from, out, 0);
        return out;
    }

    /** Fills {@code to} from {@code at} on with the tokens of a turn from {@code position} on. */
    private void text(SessionPlan plan, Conversation conversation, int turn, int position, int[] to, int at) {
        Turn what = conversation.turns().get(turn);
        int size = plan.blockSize();
        int covered = what.coveredBlocks() * size;
        int p = position;
        int n = at;
        while (n < to.length && p < covered) {
            filler.block(plan.traceId(), what.hashIds()[p / size]);
            skip(p % size);
            int count = Math.min(to.length - n, size - p % size);
            draw(to, n, count);
            n += count;
            p += count;
        }
        if (n < to.length && goesOn(conversation, turn)) {
            text(plan, conversation, turn + 1, p, to, n);
        } else if (n < to.length) {
            filler.tail(conversation.id(), turn);
            skip(p - covered);
            draw(to, n, to.length - n);
        }
    }

    /** Whether the next turn's prompt is this one's and more. */
    private boolean goesOn(Conversation conversation, int turn) {
        if (!continued || turn + 1 == conversation.turns().size()) {
            return false;
        }
        Turn what = conversation.turns().get(turn);
        Turn next = conversation.turns().get(turn + 1);
        return next.promptTokens() > what.promptTokens() && sharedBlocks(what, next) == what.coveredBlocks();
    }

    private void skip(int count) {
        for (int i = 0; i < count; i++) {
            filler.next(vocabulary);
        }
    }

    private void draw(int[] into, int from, int count) {
        for (int i = 0; i < count; i++) {
            into[from + i] = filler.next(vocabulary);
        }
    }

    private static int sharedBlocks(Turn before, Turn after) {
        int most = Math.min(before.coveredBlocks(), after.coveredBlocks());
        int shared = 0;
        while (shared < most && before.hashIds()[shared] == after.hashIds()[shared]) {
            shared++;
        }
        return shared;
    }
}
