package rondo.engine;

import java.lang.foreign.MemorySegment;

/** A grammar at work on one generation: says which tokens may come next. */
public interface TokenConstraint {
    /** No constraint at all. */
    TokenConstraint NONE = new TokenConstraint() {
        @Override
        public boolean accept(int token) {
            return true;
        }

        @Override
        public void rollback(int tokens) {}

        @Override
        public boolean fill(MemorySegment bits) {
            return false;
        }

        @Override
        public boolean mayEnd() {
            return true;
        }
    };

    /** Moves on by a sampled token; false if the grammar does not allow it. */
    boolean accept(int token);

    /** Takes back the last tokens (rejected drafts). */
    void rollback(int tokens);

    /** Writes one bit per token of the vocabulary; false: everything is allowed and nothing was written. */
    boolean fill(MemorySegment bits);

    /** Whether the text so far is complete. */
    boolean mayEnd();

    /** Whether it is complete and nothing may follow: the generation ends without an end token. */
    default boolean finished() {
        return false;
    }
}
