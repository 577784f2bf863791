package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.List;

/** The rules of one grammar as a front end writes them down; rule 0 is the root. */
final class GrammarRules {
    final List<String> names = new ArrayList<>();
    private final List<Expr> bodies = new ArrayList<>();

    GrammarRules() {
        define("root");
    }

    /** A rule that has a number but no body yet, so that rules can call each other. */
    int define(String name) {
        names.add(name);
        bodies.add(Expr.NEVER);
        return bodies.size() - 1;
    }

    void body(int rule, Expr body) {
        bodies.set(rule, body);
    }

    int define(String name, Expr body) {
        int rule = define(name);
        body(rule, body);
        return rule;
    }

    void root(Expr body) {
        body(0, body);
    }

    Expr body(int rule) {
        return bodies.get(rule);
    }

    int size() {
        return bodies.size();
    }
}
