package rondo.engine.grammar;

import org.jspecify.annotations.Nullable;

/** A place in a grammar and where to go on when its rule returns: an immutable stack that shares its lower part. */
final class Frame {
    /** Below everything: returning to it ends the text, or the part of it that is looked at. */
    static final Frame BOTTOM = new Frame(-1, 0, null);

    final int state;
    /** Finished items of a counted rule; 0 elsewhere. */
    final int count;

    final @Nullable Frame parent;
    private final int hash;

    Frame(int state, int count, @Nullable Frame parent) {
        this.state = state;
        this.count = count;
        this.parent = parent;
        this.hash = ((parent == null ? 7 : parent.hash) * 31 + state) * 31 + count;
    }

    Frame below() {
        if (parent == null) {
            throw new IllegalStateException("nothing is below the bottom");
        }
        return parent;
    }

    @Override
    public boolean equals(Object o) {
        Frame a = this;
        Frame b = o instanceof Frame f ? f : BOTTOM;
        while (a != b) {
            if (a.hash != b.hash || a.state != b.state || a.count != b.count) {
                return false;
            }
            if (a.parent == null || b.parent == null) {
                return a.parent == b.parent;
            }
            a = a.parent;
            b = b.parent;
        }
        return o instanceof Frame;
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
