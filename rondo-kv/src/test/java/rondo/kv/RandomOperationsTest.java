package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/** Random lives of many sequences on tiny pools, under overlap, with every invariant checked after every operation. */
class RandomOperationsTest {
    private static final CacheScope[] SCOPES = {
        CacheScope.unsalted(), CacheScope.salted("alice"), CacheScope.salted("bob")
    };

    @Test
    void invariantsHoldUnderRandomOperations() {
        Seeds.forEach(120, random -> new Run(random, BlockHasher::new).go(150));
    }

    @Test
    void noMatchIsEverWrongWhenAllKeysAreEqual() {
        Seeds.forEach(30, random -> new Run(random, OneKey::new).go(150));
    }

    @Test
    @Tag("long")
    void invariantsHoldForLong() {
        Seeds.forEach(3, random -> new Run(random, BlockHasher::new).go(8_000));
    }

    /** A hash that tells nothing apart. */
    private static final class OneKey extends BlockHasher {
        @Override
        void root(CacheScope scope, byte[] key) {
            Arrays.fill(key, (byte) 7);
        }

        @Override
        void child(byte[] key, int[] tokens, int count) {
            Arrays.fill(key, (byte) 7);
        }
    }

    /** A submitted step that was not awaited yet. */
    private record Step(List<Play.Seq> runs) {}

    private static final class Run {
        final SplittableRandom random;
        final int b;
        final KvOptions options;
        final boolean exactKeys;
        /** A window of 1 needs no page at a block's border, and so cannot keep an end point there. */
        final boolean looksBack;

        final Play play;
        final Audit audit;
        final List<Play.Seq> live = new ArrayList<>();
        final List<CacheScope> scopes = new ArrayList<>();
        final ArrayDeque<Step> steps = new ArrayDeque<>();
        final List<int[]> texts = new ArrayList<>();

        Run(SplittableRandom random, Play.BlockHasherFactory hashers) {
            this.random = random;
            b = random.nextBoolean() ? 4 : 2;
            options = randomOptions();
            exactKeys = hashers.get().getClass() == BlockHasher.class;
            List<LifeCycle> cycles = randomCycles();
            List<Integer> slots = cycles.stream()
                    .map(c -> c.isFull() ? 6 + random.nextInt(30) : 4 + random.nextInt(16))
                    .toList();
            looksBack = cycles.stream().noneMatch(c -> c.window() == 1);
            play = new Play(b, cycles, slots, options, hashers);
            audit = new Audit(play.kv, play.layout(), hashers.get());
        }

        private KvOptions randomOptions() {
            boolean partial = random.nextInt(4) > 0;
            boolean copy = random.nextInt(4) > 0;
            KvOptions.ReusePolicy policy =
                    random.nextInt(3) > 0 ? KvOptions.ReusePolicy.ALL_REUSABLE : KvOptions.ReusePolicy.PER_REQUEST;
            int rewind = random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 0;
            return new KvOptions(
                    random.nextInt(20) > 0, partial, copy, policy, 1, rewind, 35, 0.95, 8 * random.nextInt(2), 64);
        }

        private List<LifeCycle> randomCycles() {
            LifeCycle sliding = new LifeCycle(1 + random.nextInt(12), random.nextInt(4) == 0 ? 1 : 0);
            return switch (random.nextInt(5)) {
                case 0 -> List.of(LifeCycle.full());
                case 1 -> List.of(LifeCycle.full(), sliding);
                case 2 -> List.of(sliding);
                case 3 -> List.of(sliding, LifeCycle.sliding(1 + random.nextInt(20)), LifeCycle.full());
                default -> List.of(sliding, LifeCycle.full());
            };
        }

        void go(int operations) {
            for (int i = 0; i < operations; i++) {
                switch (random.nextInt(10)) {
                    case 0, 1 -> admit();
                    case 2, 3, 4 -> plan();
                    case 5, 6, 7 -> await();
                    case 8 -> end();
                    default -> other();
                }
                audit.check(live);
                if (i % 4 == 0) {
                    checkMatch();
                }
            }
            while (!steps.isEmpty()) {
                await();
            }
            while (!live.isEmpty()) {
                release(live.getFirst());
            }
            play.submit(); // copies of sequences that never ran go with a step of copies alone
            play.settle();
            audit.check(live);
            assertThat(play.kv.clear()).isTrue();
            for (KvStats.Pool pool : play.kv.stats().pools()) {
                assertThat(pool.free()).isEqualTo(pool.total());
            }
            assertThat(play.kv.cached().tree.count()).isZero();
        }

        private int[] randomText() {
            int[] start = {};
            if (!texts.isEmpty() && random.nextInt(5) > 0) {
                int[] old = texts.get(random.nextInt(texts.size()));
                start = Arrays.copyOf(old, random.nextInt(old.length + 1));
            }
            int more = Math.max(1, Math.min(60 - start.length, random.nextInt(20)));
            return Play.join(start, random.ints(more, 0, 3).toArray());
        }

        private void admit() {
            if (live.size() == 6) {
                return;
            }
            int[] prompt = randomText();
            CacheScope scope = SCOPES[random.nextInt(20) == 0 ? 1 + random.nextInt(2) : 0];
            int[] generated = random.ints(1 + random.nextInt(20), 0, 3).toArray();
            long before = audit.digest();
            Play.Seq s = play.tryAdmit("s", scope, prompt, generated);
            if (s == null) {
                assertThat(audit.digest()).as("nothing changed").isEqualTo(before);
            } else {
                live.add(s);
                scopes.add(scope);
                texts.add(s.tokens);
                if (texts.size() > 12) {
                    texts.removeFirst();
                }
            }
        }

        private void plan() {
            if (steps.size() == 2) {
                return;
            }
            List<Play.Seq> runs = new ArrayList<>();
            for (Play.Seq s : live) {
                int rest = s.promptTokens - s.submittedTokens;
                int wanted = rest > 0 ? 1 + random.nextInt(rest) : s.submittedTokens < s.tokens.length ? 1 : 0;
                if (wanted > 0 && random.nextInt(4) > 0) {
                    int least = 1 + random.nextInt(wanted);
                    grow(s, wanted, least);
                    if (s.grown > 0) {
                        runs.add(s);
                    }
                }
            }
            play.submit(runs.toArray(new Play.Seq[0]));
            steps.add(new Step(runs));
        }

        private void grow(Play.Seq s, int wanted, int least) {
            long before = audit.digest();
            int room = Integer.MAX_VALUE;
            for (int lc = 0; lc < play.layout().lifeCycles().size(); lc++) {
                room = Math.min(room, play.kv.tiers().roomAtOnce(lc));
            }
            int capacity = play.kv.reservations().capacity[s.r];
            int reach = (play.layout().blocks(capacity) + room) * b - s.submittedTokens;
            int expected = reach >= wanted ? wanted : reach >= least ? reach : 0;
            assertThat(play.grow(s, wanted, least)).isEqualTo(expected);
            if (expected == 0) {
                assertThat(audit.digest()).isEqualTo(before);
            }
        }

        private void await() {
            if (!steps.isEmpty()) {
                Step step = steps.removeFirst();
                for (Play.Seq s : step.runs) {
                    if (live.contains(s)) {
                        if (s.inFlight.size() == 1 && s.ends) {
                            release(s); // its last run is superfluous
                        } else {
                            play.await(s);
                        }
                    }
                }
                play.retire(play.submitted - steps.size());
            }
        }

        private void end() {
            if (!live.isEmpty()) {
                Play.Seq s = live.get(random.nextInt(live.size()));
                if (s.inFlight.isEmpty()) {
                    release(s);
                } else {
                    s.ends = true;
                }
            }
        }

        private void release(Play.Seq s) {
            CacheScope scope = scopes.remove(live.indexOf(s));
            live.remove(s);
            int[] other = texts.get(random.nextInt(texts.size()));
            int before = play.lookup(CacheScope.unsalted(), other);
            boolean commit = random.nextInt(8) > 0;
            int history = s.history;
            play.release(s, commit);
            if (options.copyOnPartialReuse()) {
                assertThat(play.lookup(CacheScope.unsalted(), other))
                        .as("an end takes nothing from others")
                        .isGreaterThanOrEqualTo(before);
                if (commit && exactKeys && options.reuse() && options.partialReuse() && looksBack) {
                    assertThat(play.lookup(scope, Arrays.copyOf(s.tokens, history)))
                            .as("what was written is found")
                            .isEqualTo(history);
                }
            }
        }

        private void other() {
            Pages pages = play.kv.cached().pages;
            int lc = random.nextInt(play.layout().lifeCycles().size());
            switch (random.nextInt(4)) {
                case 0 -> {
                    if (pages.evictable(lc).size() > 0) {
                        play.kv.cached().drop(pages.evictable(lc).first());
                    }
                }
                case 1 -> {
                    if (random.nextInt(5) == 0) {
                        boolean nothingLeft = play.kv.clear();
                        assertThat(nothingLeft).isEqualTo(pages.count() == 0);
                    }
                }
                case 2 -> {
                    if (!live.isEmpty()) {
                        Play.Seq s = live.get(random.nextInt(live.size()));
                        grow(s, 1 + random.nextInt(6), 1);
                        s.grown = 0;
                        play.kv.shrink(s.r, s.submittedTokens + random.nextInt(4));
                    }
                }
                default -> draft();
            }
        }

        /** Some tokens are tried, fewer are kept; what comes next overwrites the others. */
        private void draft() {
            for (Play.Seq s : live) {
                if (s.inFlight.isEmpty() && steps.isEmpty() && s.history >= s.promptTokens) {
                    int most = Math.min(4, s.tokens.length - s.history);
                    if (most > 0) {
                        grow(s, most, most);
                        if (s.grown > 0) {
                            play.draft(s, 1 + random.nextInt(most));
                        }
                    }
                    return;
                }
            }
        }

        private void checkMatch() {
            int[] text = randomText();
            int limit = random.nextInt(text.length + 1);
            CacheScope scope = SCOPES[random.nextInt(3)];
            PromptKeys keys = play.keys(text, scope);
            long before = audit.digest();
            int m = play.kv.match(keys, limit).tokens();
            assertThat(play.kv.match(keys, limit).tokens()).isEqualTo(m);
            assertThat(audit.digest()).as("a match changes nothing").isEqualTo(before);
            assertThat(m).isLessThanOrEqualTo(limit);
            assertThat(audit.isUsable(scope, text, m, limit, options.partialReuse()))
                    .as("%d of %d tokens are usable", m, limit)
                    .isTrue();
            // A tail that counts only when it is equal as a whole, or only when nobody holds it, may be there for a
            // shorter question and not for a longer one.
            if (limit > 0 && options.partialReuse() && options.copyOnPartialReuse()) {
                assertThat(play.kv.match(keys, limit - 1).tokens()).isLessThanOrEqualTo(m);
            }
            if (exactKeys && options.reuse() && options.copyOnPartialReuse()) {
                assertThat(m).isEqualTo(audit.longestUsable(scope, text, limit, options.partialReuse()));
            }
        }
    }
}
