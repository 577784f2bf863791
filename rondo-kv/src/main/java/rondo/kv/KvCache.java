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
     * Makes room for the next run, counted from {@code submitted}.
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
     * End, cancel or pause for recomputation; the reservation is gone afterwards.
     *
     * @param lastStep last submitted step that may still read the pages; 0 = none
     * @param commit   whether the tail that is written is kept for reuse ({@code keys} as in the last completed call)
     */
    void release(int reservation, long lastStep, boolean commit);

    /** Whether all copies that the reservation's pages depend on have landed. */
    boolean ready(int reservation);

    /** Its pages may move to the host. False where there is no host tier with room: then nothing changed. */
    boolean suspend(int reservation, long lastStep, PageWork out);

    /** All pages back on the device, or false and nothing changed. */
    boolean resume(int reservation, PageWork out);

    /** Frees whole unused blocks beyond {@code capacity} tokens (after drafts). */
    void shrink(int reservation, int capacity);

    /** After every plan: copies victims to the host ahead of need. */
    void demoteAhead(PageWork out);

    /** Before every plan; retired <= completed <= submitted. */
    void fences(long submitted, long completed, long retired);

    /** Every tier copy up to this number (as the executor counts its batches) has landed. */
    void copied(long copy);

    /** Drops every page that nobody holds; true when nothing at all is left. */
    boolean clear();

    /** Pages that a life cycle could give now, evictions included. */
    int available(int lifeCycle);

    KvStats stats();

    /** The same numbers without allocation. */
    void stats(KvNumbers into);

    /** Hands over and forgets the buffered events; returns how many were lost to a full buffer. */
    int drainEvents(KvEventSink to);
}
