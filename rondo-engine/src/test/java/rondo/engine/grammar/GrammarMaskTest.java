package rondo.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.engine.TokenConstraint;

class GrammarMaskTest {
    private static final List<GrammarSpec> GRAMMARS = List.of(
            new GrammarSpec.JsonObject(),
            new GrammarSpec.Regex("(foo|ba[rz]){2,30}x?"),
            new GrammarSpec.Regex("[a-f]{3,40}-\\d+"),
            new GrammarSpec.Regex("(a{20,}|[ab]{17})\\p{Lu}?[^x]{0,2}"),
            new GrammarSpec.Ebnf("root ::= \"(\" root \")\" | item+ # nested\nitem ::= [a-c] | \"[\" root \"]\""),
            new GrammarSpec.Ebnf(
                    "root ::= word (\" \" word){0,40}\nword ::= [a-z]{1,20} | empty \"-\"\nempty ::= \"\""),
            new GrammarSpec.Choice(List.of("abc", "abd", "ab", "日本語")),
            new GrammarSpec.Schema("""
                    {"type":"object","properties":{"a":{"type":"string","maxLength":20},"b":{"type":"integer",
                    "minimum":-5,"maximum":120},"c":{"enum":["x",1,null]},"d":{"type":"array","items":{"$ref":"#"},
                    "maxItems":3}},"required":["a","b"]}
                    """, false, false),
            new GrammarSpec.Schema("{\"type\":\"string\",\"minLength\":18,\"maxLength\":40}", false, true));

    /** The mask, put together from remembered walks, against the automaton moved by each token alone. */
    @Test
    void theMaskAllowsExactlyTheTokensThatTheAutomatonAccepts() {
        Talker talker = new Talker();
        Seeds.forEach(20, random -> {
            for (GrammarSpec spec : GRAMMARS) {
                TokenConstraint constraint = talker.start(spec);
                for (int step = 0; step < 40; step++) {
                    List<Integer> masked = talker.allowed(constraint);
                    assertThat(masked).as("%s", spec).isEqualTo(accepted(talker, constraint));
                    if (masked.isEmpty()) {
                        break;
                    }
                    assertThat(masked.contains(talker.end)).isEqualTo(constraint.mayEnd());
                    int id = masked.get(random.nextInt(masked.size()));
                    constraint.accept(id);
                    if (id == talker.end) {
                        break;
                    }
                }
            }
        });
    }

    private static List<Integer> accepted(Talker talker, TokenConstraint constraint) {
        List<Integer> found = new ArrayList<>();
        for (int id = 0; id < talker.tokens.length; id++) {
            if (constraint.accept(id)) {
                constraint.rollback(1);
                found.add(id);
            }
        }
        return found;
    }

    @Test
    void whateverIsAllowedCanBeCompleted() {
        Talker talker = new Talker();
        Seeds.forEach(10, random -> {
            for (GrammarSpec spec : GRAMMARS) {
                Optional<String> said = talker.say(spec, random, 60);
                assertThat(said).as("%s", spec).isPresent();
                assertThat(talker.accepts(spec, said.get()))
                        .as("%s said by %s", said, spec)
                        .isTrue();
            }
        });
    }

    @Test
    void rejectedDraftsAreTakenBack() {
        Talker talker = new Talker();
        TokenConstraint constraint = talker.start(new GrammarSpec.Regex("abcdef|abxyz"));
        assertThat(constraint.accept('a')).isTrue();
        List<Integer> before = talker.allowed(constraint);
        assertThat(constraint.accept('b')).isTrue();
        assertThat(constraint.accept('x')).isTrue();
        constraint.rollback(2);
        assertThat(talker.allowed(constraint)).isEqualTo(before);
        assertThat(constraint.accept('z')).isFalse();
        assertThat(talker.allowed(constraint)).isEqualTo(before);
    }

    /** R164: a grammar is shared, what it has read is not. */
    @Test
    void oneGrammarServesManyGenerationsAtOnce() throws InterruptedException {
        Talker talker = new Talker();
        Grammar grammar = talker.compile(GRAMMARS.get(7));
        List<Throwable> faults = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int seed = t;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    SplittableRandom random = new SplittableRandom(seed);
                    for (int run = 0; run < 20; run++) {
                        TokenConstraint constraint = grammar.start(new int[] {talker.end});
                        for (int step = 0; step < 30; step++) {
                            List<Integer> allowed = talker.allowed(constraint);
                            assertThat(constraint.accept(allowed.get(random.nextInt(allowed.size()))))
                                    .isTrue();
                            if (constraint.mayEnd()) {
                                break;
                            }
                        }
                    }
                } catch (Throwable e) {
                    synchronized (faults) {
                        faults.add(e);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(faults).isEmpty();
    }

    /**
     * However many grammars are asked for, some processor is left to read other requests; R072: who compiles does not
     * hold up the others.
     */
    @Test
    void atMostHalfOfTheProcessorsCompile() throws InterruptedException {
        AtomicInteger at = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        TokenTrie trie = TokenTrie.of(new byte[][] {{'a'}});
        GrammarCompiler compiler = new GrammarCompiler(() -> trie, () -> {
            most.accumulateAndGet(at.incrementAndGet(), Math::max);
            Thread.onSpinWait();
            at.decrementAndGet();
            return 0;
        });
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            String regex = "(a{40}){" + (300 + t) + "}";
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    compiler.compile(new GrammarSpec.Regex(regex));
                } catch (CompilersBusy e) {
                    throw new AssertionError(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(most.get()).isBetween(1, Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }
}
