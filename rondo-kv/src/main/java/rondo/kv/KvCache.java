package rondo.kv;

import java.util.OptionalInt;

/**
 * The one public door to the memory; called from the engine thread only.
 *
 * <p>A <em>reservation</em> is one sequence's hold on pages. Always {@code committed <= history <= submitted <= capacity}
 * (tokens): committed is immutable and in the tree; history is known to be written (its step was awaited); submitted
 * adds the input of the step in flight; capacity has pages. Later steps may reuse a freed slot at once, because one
 * stream orders them; copies may use it only when {@code retired} has reached the {@code lastStep} it was freed with.
 */
public interface KvCache {
    /** Longest usable cached prefix of the first {@code limit} tokens. Pure. */
    Match match(BlockKeys keys, int limit);

    /**
     * Holds the matched pages for a new sequence in executor slot {@code slot}: committed = history = submitted =
     * capacity = match.tokens().
     *
     * @return the reservation, or empty and nothing changed
     */
    OptionalInt admit(Match match, Retention retention, int slot, PageWork out);

    /**
     * Makes room for the next run, counted from {@code submitted}. A prefill gets what is to be had without waiting for a
     * copy; where that is less than {@code least}, copies to the host begin to make room for a later plan. A decode
     * (beyond its prompt, {@code least} = {@code wanted}) also gets slots that a copy to the host is about to make free:
     * then {@link PageWork#waitsForCopies} is set.
     *
     * @return tokens granted, equal in every life cycle: {@code wanted}, or a shorter length that is at least
     *     {@code least} and ends on a block border; or 0
     */
    int grow(int reservation, int wanted, int least, PageWork out);

    /** A step in flight will write these tokens. */
    void submitted(int reservation, int tokens, long step);

    /**
     * The oldest submitted step was awaited: history grows by {@code keptTokens}, full blocks are committed (keys covers
     * at least the new history), pages that left the window are let go.
     */
    void completed(int reservation, int keptTokens, BlockKeys keys);

    /**
     * End or cancel; the reservation is gone afterwards. Where nothing is committed (a failed step, an admission that
     * came to nothing), it was no turn of a conversation.
     *
     * @param lastStep last submitted step that may still read the pages; 0 = none
     * @param commit   whether the tail that is written is kept for reuse ({@code keys} as in the last completed call)
     */
    void release(int reservation, long lastStep, boolean commit);

    /**
     * As {@link #release} with {@code commit}, for a sequence that will be admitted again and computed on: its turn is
     * not over, which matters to the policy {@code per_conversation}.
     */
    void pause(int reservation, long lastStep);

    /** Whether all copies that the reservation's pages depend on have landed. */
    boolean ready(int reservation);

    /**
     * Its pages may move to the host, and are never dropped; it has no run in flight and gets none before it is resumed.
     * False where there is no host tier with room for any of them: then nothing changed.
     */
    boolean suspend(int reservation, long lastStep, PageWork out);

    /**
     * All pages are held on the device again or come back ({@link #ready} says when they are there); or false and nothing
     * changed, except that others may have begun to make room.
     */
    boolean resume(int reservation, PageWork out);

    /** Frees whole unused blocks beyond {@code capacity} tokens (after drafts). */
    void shrink(int reservation, int capacity);

    /** After every plan: copies victims to the host ahead of need, and plans the copies that had to wait so far. */
    void demoteAhead(PageWork out);

    /** Before every plan; retired <= completed <= submitted. */
    void fences(long submitted, long completed, long retired);

    /** Before a plan, now and then: the time of some clock, by which conversations at rest are forgotten. */
    void now(long nanos);

    /** The tier copies of the plan at hand are under way as this batch (1, 2, …). Before anything else is planned. */
    void copiesStarted(long batch);

    /** All batches of tier copies up to this one have landed. */
    void copied(long batch);

    /** Drops every page that nobody holds; true when nothing at all is left. */
    boolean clear();

    /** Device pages that a life cycle can give, if perhaps only after copies to the host; those held are not among them. */
    int available(int lifeCycle);

    KvStats stats();

    /** The same numbers without allocation. */
    void stats(KvNumbers into);

    /** Hands over and forgets the buffered events; returns how many were lost to a full buffer. */
    int drainEvents(KvEventSink to);
}
