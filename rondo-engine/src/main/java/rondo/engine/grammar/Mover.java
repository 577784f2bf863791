package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Moves configurations of an automaton by bytes. Not for several threads at once. */
final class Mover {
    /** More places at once than any sensible grammar has: the text is too ambiguous to follow. */
    private static final int MAX_PLACES = 512;

    private final Automaton automaton;
    private final List<Frame> reading = new ArrayList<>();
    private final Set<Frame> seen = new HashSet<>();
    private boolean ends;

    Mover(Automaton automaton) {
        this.automaton = automaton;
    }

    Config start() {
        return at(new Frame(automaton.start[0], 0, Frame.BOTTOM));
    }

    /** A place with everything that can be reached from it without reading. */
    Config at(Frame frame) {
        begin();
        close(frame);
        return end();
    }

    /** Empty if the byte (0 to 255) is not allowed. */
    Config move(Config from, int b) {
        begin();
        for (Frame f : from.frames) {
            int next = automaton.next(f.state, b);
            if (next >= 0) {
                close(moved(f, next));
            }
        }
        return end();
    }

    private Frame moved(Frame f, int next) {
        int rule = automaton.ruleOf[next];
        if (automaton.counted(rule) && automaton.accepting[next]) {
            return new Frame(automaton.start[rule], f.count + 1, f.parent);
        }
        return new Frame(next, f.count, f.parent);
    }

    private void begin() {
        reading.clear();
        seen.clear();
        ends = false;
    }

    private Config end() {
        return new Config(reading.toArray(new Frame[0]), ends);
    }

    private void close(Frame f) {
        if (f == Frame.BOTTOM) {
            ends = true;
            return;
        }
        if (!seen.add(f)) {
            return;
        }
        if (seen.size() > MAX_PLACES) {
            throw new UnsupportedGrammar(
                    "", "the grammar is too ambiguous: more than " + MAX_PLACES + " readings at once");
        }
        int s = f.state;
        int rule = automaton.ruleOf[s];
        if (automaton.counted(rule)) {
            boolean between = s == automaton.start[rule];
            if (!between || f.count < automaton.max[rule]) {
                reading.add(f);
            }
            if (between && f.count >= automaton.min[rule]) {
                close(f.below());
            }
            return;
        }
        if (automaton.moves[s]) {
            reading.add(f);
        }
        for (int c = 0; c < automaton.calls[s].length; c++) {
            int after = automaton.after[s][c];
            boolean last = automaton.accepting[after] && !automaton.moves[after] && automaton.calls[after].length == 0;
            Frame back = last ? f.below() : new Frame(after, f.count, f.parent);
            close(new Frame(automaton.start[automaton.calls[s][c]], 0, back));
        }
        if (automaton.accepting[s]) {
            close(f.below());
        }
    }
}
