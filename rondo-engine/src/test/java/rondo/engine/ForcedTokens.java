package rondo.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Forced text: a grammar that allows exactly one answer, token by token, and then the end token. */
public final class ForcedTokens implements TokenConstraint {
    private final int[] tokens;
    private int at;

    /**
     * @param tokens what is to be said
     * @param end    the token that ends it
     */
    public ForcedTokens(int[] tokens, int end) {
        this.tokens = java.util.Arrays.copyOf(tokens, tokens.length + 1);
        this.tokens[tokens.length] = end;
    }

    @Override
    public boolean accept(int token) {
        return at < tokens.length && tokens[at++] == token;
    }

    @Override
    public void rollback(int count) {
        at -= count;
    }

    @Override
    public boolean fill(MemorySegment bits) {
        bits.fill((byte) 0);
        if (at < tokens.length) {
            int token = tokens[at];
            bits.setAtIndex(ValueLayout.JAVA_LONG, token >> 6, 1L << (token & 63));
        }
        return true;
    }

    @Override
    public boolean mayEnd() {
        return at == tokens.length - 1;
    }
}
