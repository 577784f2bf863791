package rondo.engine.grammar;

import java.util.Arrays;

/** All places where a grammar may be after a text: the frames that can read on, and whether the text may end here. */
final class Config {
    final Frame[] frames;
    /** Whether {@link Frame#BOTTOM} was reached. */
    final boolean ends;

    Config(Frame[] frames, boolean ends) {
        this.frames = frames;
        this.ends = ends;
    }

    boolean isEmpty() {
        return frames.length == 0 && !ends;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Config c && ends == c.ends && Arrays.equals(frames, c.frames);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(frames) * 2 + (ends ? 1 : 0);
    }
}
