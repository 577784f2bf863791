package rondo.engine.grammar;

import java.util.LinkedHashMap;
import java.util.Map;
import rondo.base.Json;
import rondo.base.TimeSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Compiles grammars for one vocabulary on the caller's thread, within limits of time and size, and keeps the last ones.
 * For many threads.
 */
public final class GrammarCompiler {
    private static final long MAX_NANOS = 2_000_000_000;
    private static final int MAX_STATES = 200_000;
    /** Time for token sets that are found ahead of need. */
    private static final long PREPARE_NANOS = 300_000_000;

    private static final int KEPT = 256;

    private final TokenTrie trie;
    private final TimeSource time;
    private final Map<GrammarSpec, Grammar> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<GrammarSpec, Grammar> eldest) {
            return size() > KEPT;
        }
    };

    public GrammarCompiler(TokenTrie trie, TimeSource time) {
        this.trie = trie;
        this.time = time;
    }

    /** @throws UnsupportedGrammar if it cannot be used; at the latest after two seconds */
    public Grammar compile(GrammarSpec spec) {
        synchronized (known) {
            Grammar grammar = known.get(spec);
            if (grammar != null) {
                return grammar;
            }
        }
        Budget budget = new Budget(time, MAX_NANOS, MAX_STATES);
        Grammar grammar = new Grammar(automaton(spec, budget), trie);
        grammar.prepare(new Budget(time, PREPARE_NANOS, MAX_STATES));
        synchronized (known) {
            known.put(spec, grammar);
        }
        return grammar;
    }

    private static Automaton automaton(GrammarSpec spec, Budget budget) {
        try {
            return AutomatonCompiler.compile(rules(spec, budget), budget);
        } catch (StackOverflowError e) {
            throw new UnsupportedGrammar("", "the grammar is nested too deep");
        }
    }

    private static GrammarRules rules(GrammarSpec spec, Budget budget) {
        return switch (spec) {
            case GrammarSpec.JsonObject o -> JsonSchema.anyObject(false);
            case GrammarSpec.Schema s -> JsonSchema.compile(parsed(s.schema()), s.open(), s.strictWhitespace(), budget);
            case GrammarSpec.Regex r -> root(RegexParser.full(r.regex()));
            case GrammarSpec.Ebnf e -> GbnfParser.parse(e.grammar());
            case GrammarSpec.Choice c -> root(Expr.alt(c.texts().stream().map(Expr::text).toList()));
        };
    }

    private static GrammarRules root(Expr body) {
        GrammarRules rules = new GrammarRules();
        rules.root(body);
        return rules;
    }

    private static JsonNode parsed(String schema) {
        try {
            return Json.mapper().readTree(schema);
        } catch (JacksonException e) {
            throw new UnsupportedGrammar("", "the schema is not JSON: " + Json.fault(e));
        }
    }
}
