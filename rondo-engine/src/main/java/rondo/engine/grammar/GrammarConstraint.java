package rondo.engine.grammar;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import rondo.engine.TokenConstraint;

/** A grammar at work on one generation. Engine thread only. */
final class GrammarConstraint implements TokenConstraint {
    /** Tokens that can be taken back: the longest draft and some. */
    private static final int REMEMBERED = 64;

    private final Grammar grammar;
    private final Mover mover;
    private final int[] endIds;
    /** The last configurations, a ring; {@code at} counts all tokens so far. */
    private final Config[] history = new Config[REMEMBERED + 1];

    private int at;

    GrammarConstraint(Grammar grammar, int[] endIds) {
        this.grammar = grammar;
        this.endIds = endIds.clone();
        mover = new Mover(grammar.automaton);
        Arrays.fill(history, mover.start());
    }

    private Config now() {
        return history[at % history.length];
    }

    @Override
    public boolean accept(int token) {
        Config c = now();
        if (isEnd(token)) {
            if (!c.ends) {
                return false;
            }
        } else {
            byte[] bytes = grammar.trie.bytes(token);
            if (bytes.length == 0) {
                return false;
            }
            for (byte b : bytes) {
                c = mover.move(c, b & 0xFF);
            }
            if (c.isEmpty()) {
                return false;
            }
        }
        at++;
        history[at % history.length] = c;
        return true;
    }

    @Override
    public void rollback(int tokens) {
        if (tokens > Math.min(at, REMEMBERED)) {
            throw new IllegalArgumentException("cannot take back " + tokens + " of " + at + " tokens");
        }
        at -= tokens;
    }

    @Override
    public boolean fill(MemorySegment bits) {
        bits.fill((byte) 0);
        Config c = now();
        for (Frame f : c.frames) {
            Reach r = grammar.reach.from(f);
            r.allowed().addTo(bits);
            Frame below = f.below();
            while (r.exits() != Reach.Exits.NONE && below != Frame.BOTTOM) {
                r = grammar.reach.after(r.exits(), below.state);
                r.allowed().addTo(bits);
                below = below.below();
            }
        }
        if (c.ends) {
            for (int id : endIds) {
                long word = id >> 6;
                if (id >= 0 && word * 8 < bits.byteSize()) {
                    long old = bits.getAtIndex(ValueLayout.JAVA_LONG, word);
                    bits.setAtIndex(ValueLayout.JAVA_LONG, word, old | 1L << (id & 63));
                }
            }
        }
        return true;
    }

    @Override
    public boolean mayEnd() {
        return now().ends;
    }

    @Override
    public boolean finished() {
        return now().ends && now().frames.length == 0;
    }

    private boolean isEnd(int token) {
        for (int id : endIds) {
            if (id == token) {
                return true;
            }
        }
        return false;
    }
}
