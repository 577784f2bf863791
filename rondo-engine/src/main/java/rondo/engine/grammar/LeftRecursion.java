package rondo.engine.grammar;

import java.util.Arrays;
import java.util.List;

/** Refuses rules that can call themselves before any byte is read: the matcher would push for ever. */
final class LeftRecursion {
    private static final int MAX_DEPTH = 2000;

    private enum Mark {
        NEW,
        OPEN,
        CLOSED
    }

    private final Automaton automaton;
    private final List<String> names;
    private final boolean[] nullable;
    private final Mark[] marks;

    private LeftRecursion(Automaton automaton, List<String> names) {
        this.automaton = automaton;
        this.names = names;
        nullable = new boolean[automaton.rules.length];
        marks = new Mark[automaton.rules.length];
        Arrays.fill(marks, Mark.NEW);
    }

    static void refuse(Automaton automaton, List<String> names) {
        LeftRecursion check = new LeftRecursion(automaton, names);
        check.findNullable();
        for (int r = 0; r < automaton.rules.length; r++) {
            check.visit(r, 0);
        }
    }

    private void findNullable() {
        boolean found = true;
        while (found) {
            found = false;
            for (int r = 0; r < nullable.length; r++) {
                if (!nullable[r] && canBeEmpty(r)) {
                    nullable[r] = true;
                    found = true;
                }
            }
        }
    }

    private boolean canBeEmpty(int rule) {
        if (automaton.counted(rule)) {
            return automaton.min[rule] == 0;
        }
        IntList reached = reachedUnread(rule);
        for (int i = 0; i < reached.size; i++) {
            if (automaton.accepting[reached.get(i)]) {
                return true;
            }
        }
        return false;
    }

    /** States that a rule reaches before it reads a byte: its start, and what follows calls that may be empty. */
    private IntList reachedUnread(int rule) {
        boolean[] seen = new boolean[automaton.start[rule + 1] - automaton.start[rule]];
        IntList reached = new IntList();
        reached.add(automaton.start[rule]);
        seen[0] = true;
        for (int i = 0; i < reached.size; i++) {
            int s = reached.get(i);
            for (int c = 0; c < automaton.calls[s].length; c++) {
                int after = automaton.after[s][c];
                if (nullable[automaton.calls[s][c]] && !seen[after - automaton.start[rule]]) {
                    seen[after - automaton.start[rule]] = true;
                    reached.add(after);
                }
            }
        }
        return reached;
    }

    private void visit(int rule, int depth) {
        if (marks[rule] == Mark.CLOSED) {
            return;
        }
        String name = rule < names.size() ? names.get(rule) : "";
        if (marks[rule] == Mark.OPEN) {
            throw new UnsupportedGrammar(
                    name, "rule '" + name + "' calls itself before it reads anything (left recursion)");
        }
        if (depth > MAX_DEPTH) {
            throw new UnsupportedGrammar("", "rules are nested more than " + MAX_DEPTH + " deep");
        }
        marks[rule] = Mark.OPEN;
        IntList reached = reachedUnread(rule);
        for (int i = 0; i < reached.size; i++) {
            for (int called : automaton.calls[reached.get(i)]) {
                visit(called, depth + 1);
            }
        }
        marks[rule] = Mark.CLOSED;
    }
}
