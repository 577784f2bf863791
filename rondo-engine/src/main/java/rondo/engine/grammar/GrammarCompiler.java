package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
    private static final long KEPT_BYTES = 256L << 20;

    /** Longest wait for a turn to compile. */
    private static final long MAX_WAIT_SECONDS = 10;

    private final Supplier<TokenTrie> vocabulary;
    /** Compiling is pure work: half of the processors at most, so that other requests are read meanwhile. */
    private final Semaphore turns =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), true);

    private final TimeSource time;
    /** The least recently used first. */
    private final Map<GrammarSpec, Grammar> known = new LinkedHashMap<>(16, 0.75f, true);

    /** @param vocabulary asked for by the first grammar, once and on its thread */
    public GrammarCompiler(Supplier<TokenTrie> vocabulary, TimeSource time) {
        this.vocabulary = new Once(vocabulary);
        this.time = time;
    }

    /**
     * Takes its turn and compiles, or finds the grammar among the last ones.
     *
     * @throws UnsupportedGrammar if it cannot be used; at the latest after two seconds of work
     * @throws CompilersBusy      if its turn does not come
     */
    public Grammar compile(GrammarSpec spec) throws CompilersBusy {
        Grammar grammar = known(spec);
        if (grammar != null) {
            return grammar;
        }
        try {
            if (!turns.tryAcquire(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw new CompilersBusy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompilersBusy();
        }
        try {
            // Somebody else may have asked for the same one.
            Grammar made = known(spec);
            return made == null ? make(spec) : made;
        } finally {
            turns.release();
        }
    }

    private @Nullable Grammar known(GrammarSpec spec) {
        synchronized (known) {
            return known.get(spec);
        }
    }

    private Grammar make(GrammarSpec spec) {
        TokenTrie trie = vocabulary.get();
        Budget budget = new Budget(time, MAX_NANOS, MAX_STATES);
        Grammar grammar = new Grammar(automaton(spec, budget), trie);
        grammar.prepare(new Budget(time, PREPARE_NANOS, MAX_STATES));
        synchronized (known) {
            known.put(spec, grammar);
            shrink();
        }
        return grammar;
    }

    /** Forgets the oldest; token sets grow while a grammar is used, so all are weighed again. */
    private void shrink() {
        long bytes = known.values().stream().mapToLong(Grammar::bytes).sum();
        Iterator<Grammar> oldest = known.values().iterator();
        while (known.size() > 1 && (known.size() > KEPT || bytes > KEPT_BYTES)) {
            bytes -= oldest.next().bytes();
            oldest.remove();
        }
    }

    /** Makes its value when first asked. */
    private static final class Once implements Supplier<TokenTrie> {
        private final Supplier<TokenTrie> source;
        private volatile @Nullable TokenTrie made;

        Once(Supplier<TokenTrie> source) {
            this.source = source;
        }

        @Override
        public TokenTrie get() {
            TokenTrie known = made;
            if (known != null) {
                return known;
            }
            synchronized (this) {
                TokenTrie value = made == null ? source.get() : made;
                made = value;
                return value;
            }
        }
    }

    private static Automaton automaton(GrammarSpec spec, Budget budget) {
        try {
            return AutomatonCompiler.compile(rules(spec, budget), budget);
        } catch (StackOverflowError e) {
            throw new UnsupportedGrammar("", "the grammar is nested too deep");
        } catch (JacksonException | ClassCastException e) {
            throw new UnsupportedGrammar("", "a keyword of the schema has a value of the wrong kind or size");
        }
    }

    private static GrammarRules rules(GrammarSpec spec, Budget budget) {
        if (spec instanceof GrammarSpec.Ebnf e) {
            return GbnfParser.parse(e.grammar());
        }
        GrammarRules rules = new GrammarRules();
        rules.root(expression(spec, rules, budget));
        return rules;
    }

    private static Expr expression(GrammarSpec spec, GrammarRules rules, Budget budget) {
        return switch (spec) {
            case GrammarSpec.JsonObject o -> new JsonValues(rules, false).object();
            case GrammarSpec.Schema s -> schema(s, rules, budget);
            case GrammarSpec.Regex r -> RegexParser.full(r.regex());
            case GrammarSpec.Choice c ->
                Expr.alt(c.texts().stream().map(Expr::text).toList());
            case GrammarSpec.Calls c -> calls(c, rules, budget);
            case GrammarSpec.Either e ->
                Expr.alt(expression(e.one(), rules, budget), expression(e.other(), rules, budget));
            case GrammarSpec.Ebnf e -> throw new UnsupportedGrammar("", "EBNF stands alone");
        };
    }

    private static Expr schema(GrammarSpec.Schema s, GrammarRules rules, Budget budget) {
        return JsonSchema.compile(parsed(s.schema()), rules, s.open(), s.strictWhitespace(), budget);
    }

    private static Expr calls(GrammarSpec.Calls c, GrammarRules rules, Budget budget) {
        List<Expr> choices = new ArrayList<>();
        for (int i = 0; i < c.calls().size(); i++) {
            GrammarSpec.Call call = c.calls().get(i);
            try {
                choices.add(Expr.seq(
                        Expr.text(call.begin()), schema(call.arguments(), rules, budget), Expr.text(call.end())));
            } catch (UnsupportedGrammar e) {
                throw new UnsupportedGrammar("/" + i + e.where(), String.valueOf(e.getMessage()));
            }
        }
        int most = c.most() == Integer.MAX_VALUE ? Expr.Repeat.UNBOUNDED : c.most();
        return Expr.list(Expr.alt(choices), Expr.text(c.separator()), 1, most);
    }

    private static JsonNode parsed(String schema) {
        try {
            return Json.mapper().readTree(schema);
        } catch (JacksonException e) {
            throw new UnsupportedGrammar("", "the schema is not JSON: " + Json.fault(e));
        }
    }
}
