package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/** Random lives of many sequences on tiny pools, under overlap, with every invariant checked after every operation. */
class RandomOperationsTest {
    private static final CacheScope[] SCOPES = {
        CacheScope.unsalted(), CacheScope.salted("alice"), CacheScope.salted("bob")
    };

    /** No event is lost to the buffer. */
    private static final int ALL_EVENTS = 1 << 20;

    /** R006: nobody writes a page that another one reads. */
    @Test
    void invariantsHoldUnderRandomOperations() {
        Totals totals = new Totals();
        Seeds.forEach(60, random -> new Run(random, BlockHasher::new, false, totals).go(150));
        assertThat(totals.dropped).isPositive();
    }

    @Test
    void invariantsHoldWithAHostTierAndLateCopies() {
        Totals totals = new Totals();
        Seeds.forEach(150, random -> new Run(random, BlockHasher::new, true, totals).go(150));
        totals.everythingHappened();
    }

    /** R012: tokens are compared too. */
    @Test
    void noMatchIsEverWrongWhenAllKeysAreEqual() {
        Totals totals = new Totals();
        Seeds.forEach(30, random -> {
            Run run = new Run(random, OneKey::new, random.nextBoolean(), totals);
            run.go(150);
            totals.collisions += run.play.kv.stats().keyCollisions();
        });
        assertThat(totals.collisions).isPositive();
    }

    @Test
    @Tag("long")
    void invariantsHoldForLong() {
        Totals totals = new Totals();
        Seeds.forEach(6, random -> new Run(random, BlockHasher::new, random.nextInt(3) > 0, totals).go(8_000));
    }

    /** How often each path was taken, over all runs of a test. */
    private static final class Totals {
        long dropped;
        long droppedFromHost;
        long offloadedAhead;
        long offloadedOnDemand;
        long takenBack;
        long onboarded;
        long copied;
        long copiedFromHost;
        long suspended;
        long resumed;
        long resumedFromHost;
        long refusedResumes;
        long endedWhileCopying;
        long waitingSteps;
        long copiesAfterAStep;
        long replans;
        long collisions;

        void add(KvStats.Counters c) {
            dropped += c.dropped();
            droppedFromHost += c.droppedFromHost();
            offloadedAhead += c.offloadedAhead();
            offloadedOnDemand += c.offloadedOnDemand();
            takenBack += c.takenBack();
            onboarded += c.onboarded();
            copied += c.copied();
            copiedFromHost += c.copiedFromHost();
        }

        void everythingHappened() {
            Map<String, Long> counts = new TreeMap<>();
            counts.put("dropped", dropped);
            counts.put("droppedFromHost", droppedFromHost);
            counts.put("offloadedAhead", offloadedAhead);
            counts.put("offloadedOnDemand", offloadedOnDemand);
            counts.put("takenBack", takenBack);
            counts.put("onboarded", onboarded);
            counts.put("copied", copied);
            counts.put("copiedFromHost", copiedFromHost);
            counts.put("suspended", suspended);
            counts.put("resumed", resumed);
            counts.put("resumedFromHost", resumedFromHost);
            counts.put("refusedResumes", refusedResumes);
            counts.put("endedWhileCopying", endedWhileCopying);
            counts.put("waitingSteps", waitingSteps);
            counts.put("copiesAfterAStep", copiesAfterAStep);
            counts.put("replans", replans);
            assertThat(counts).doesNotContainValue(0L);
        }
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
        final Totals totals;
        final boolean tiers;
        final EventMirror mirror = new EventMirror();

        Run(SplittableRandom random, Play.BlockHasherFactory hashers, boolean tiers, Totals totals) {
            this.random = random;
            this.tiers = tiers;
            this.totals = totals;
            b = random.nextBoolean() ? 4 : 2;
            options = randomOptions();
            exactKeys = hashers.get().getClass() == BlockHasher.class;
            List<LifeCycle> cycles = randomCycles();
            List<Integer> slots = cycles.stream()
                    .map(c -> c.isFull() ? 6 + random.nextInt(30) : 4 + random.nextInt(16))
                    .toList();
            looksBack = cycles.stream().noneMatch(c -> c.window() == 1);
            List<Integer> host = cycles.stream()
                    .map(c -> tiers && random.nextInt(5) > 0 ? 1 + random.nextInt(14) : 0)
                    .toList();
            play = new Play(b, cycles, slots, host, options, hashers);
            play.landsAtOnce = random.nextInt(5) == 0;
            audit = new Audit(play.kv, play.layout(), hashers.get());
        }

        private KvOptions randomOptions() {
            boolean partial = random.nextInt(4) > 0;
            boolean copy = random.nextInt(4) > 0;
            KvOptions.ReusePolicy policy = switch (random.nextInt(6)) {
                case 0, 1 -> KvOptions.ReusePolicy.PER_REQUEST;
                case 2 -> KvOptions.ReusePolicy.PER_CONVERSATION;
                default -> KvOptions.ReusePolicy.ALL_REUSABLE;
            };
            int rewind = random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 0;
            int threshold = random.nextInt(3) == 0 ? random.nextInt(71) : 35;
            double maxUtil = random.nextInt(3) == 0 ? 0.5 : 1;
            int stepTokens = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(64);
            return new KvOptions(
                    random.nextInt(20) > 0,
                    partial,
                    copy,
                    policy,
                    1 + random.nextInt(3),
                    rewind,
                    threshold,
                    maxUtil,
                    ALL_EVENTS * random.nextInt(2),
                    stepTokens);
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
                switch (random.nextInt(tiers ? 13 : 10)) {
                    case 0, 1 -> admit();
                    case 2, 3, 4 -> plan();
                    case 5, 6, 7 -> await();
                    case 8 -> end();
                    case 9 -> other();
                    case 10 -> pause();
                    default -> land();
                }
                audit.check(live);
                if (i % 4 == 0) {
                    checkMatch();
                }
                if (i % 3 == 0) {
                    checkEvents();
                }
            }
            comeToRest();
            checkEvents();
        }

        /** 29; with equal keys for all blocks nobody could tell them apart. */
        private void checkEvents() {
            if (exactKeys && options.eventBufferSize() == ALL_EVENTS) {
                assertThat(play.kv.drainEvents(mirror)).isZero();
                assertThat(mirror.pages()).isEqualTo(EventMirror.of(play.kv.cached()));
            }
        }

        private void comeToRest() {
            while (!steps.isEmpty()) {
                await();
            }
            while (!live.isEmpty()) {
                release(live.getFirst());
            }
            play.submit(); // copies of sequences that never ran go with a step of copies alone
            play.land(play.batches);
            play.settle();
            audit.check(live);
            totals.add(play.kv.stats().counters());
            assertThat(play.kv.clear()).isTrue();
            for (KvStats.Pool pool : play.kv.stats().pools()) {
                assertThat(pool.free()).isEqualTo(pool.total());
            }
            assertThat(play.kv.cached().tree.count()).isZero();
        }

        /** A batch of copies lands. */
        private void land() {
            if (play.landed < play.batches && play.memory.mayLand(play.landed + 1, play.completed)) {
                play.land(play.landed + 1);
                play.fences();
            }
        }

        /** A sequence is suspended, or a suspended one goes on. */
        private void pause() {
            if (live.isEmpty()) {
                return;
            }
            Play.Seq s = random.nextInt(3) == 0 ? live.getLast() : live.get(random.nextInt(live.size()));
            if (s.suspended) {
                long holds = audit.holds();
                boolean onHost = isOnHost(s);
                if (play.resume(s)) {
                    totals.resumed++;
                    totals.resumedFromHost += onHost ? 1 : 0;
                } else {
                    totals.refusedResumes++;
                    assertThat(audit.holds()).isEqualTo(holds);
                }
            } else if (s.inFlight.isEmpty() && s.grown == 0) {
                long before = audit.digest();
                if (play.suspend(s)) {
                    totals.suspended++;
                } else {
                    assertThat(audit.digest()).isEqualTo(before);
                }
            }
        }

        private boolean isOnHost(Play.Seq s) {
            return pagesOf(s).anyMatch(page -> play.kv.cached().pages.tier[page] == Tier.HOST);
        }

        private IntStream pagesOf(Play.Seq s) {
            Reservations r = play.kv.reservations();
            return IntStream.range(0, play.layout().lifeCycles().size())
                    .flatMap(lc -> IntStream.range(0, play.layout().blocks(r.capacity[s.r]))
                            .map(i -> r.page(s.r, lc, i)))
                    .filter(page -> page >= 0);
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
            play.conversation = random.nextInt(3) == 0 ? "" : "c" + random.nextInt(3);
            Play.Seq s = play.tryAdmit("s", scope, prompt, generated);
            if (s == null) {
                if (live.stream().noneMatch(other -> other.suspended)) {
                    assertThat(audit.digest()).as("nothing changed").isEqualTo(before);
                }
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
            List<Play.Seq> runs = fill();
            if (!steps.isEmpty() && random.nextInt(6) == 0) {
                // The plan is given up for want of room: its page work stays, its runs are planned again.
                play.handOver();
                runs.forEach(s -> s.grown = 0);
                await();
                runs = fill();
                totals.replans++;
            }
            play.handOver();
            totals.copiesAfterAStep += play.work.copiesAfter > play.completed ? 1 : 0;
            while (play.mustWait() && !play.memory.mayLand(play.batches, play.completed)) {
                await();
            }
            totals.waitingSteps += play.mustWait() ? 1 : 0;
            play.submit(runs.toArray(new Play.Seq[0]));
            steps.add(new Step(runs));
        }

        private List<Play.Seq> fill() {
            List<Play.Seq> runs = new ArrayList<>();
            for (Play.Seq s : live) {
                int rest = s.promptTokens - s.submittedTokens;
                int wanted = rest > 0 ? 1 + random.nextInt(rest) : s.submittedTokens < s.tokens.length ? 1 : 0;
                if (wanted > 0 && play.ready(s) && s.inFlight.size() < 2 && random.nextInt(4) > 0) {
                    int least = random.nextInt(3) == 0 ? wanted : 1 + random.nextInt(wanted);
                    grow(s, wanted, least);
                    if (s.grown > 0) {
                        runs.add(s);
                    }
                }
            }
            return runs;
        }

        private void grow(Play.Seq s, int wanted, int least) {
            long before = audit.digest();
            long holds = audit.holds();
            int atOnce = Integer.MAX_VALUE;
            int later = Integer.MAX_VALUE;
            for (int lc = 0; lc < play.layout().lifeCycles().size(); lc++) {
                atOnce = Math.min(atOnce, play.kv.tiers().roomAtOnce(lc));
                later = Math.min(later, play.kv.tiers().room(lc));
            }
            int blocks = play.layout().blocks(play.kv.reservations().capacity[s.r]);
            int reach = (blocks + atOnce) * b - s.submittedTokens;
            int expected = reach >= wanted ? wanted : reach >= least ? reach : 0;
            int reachLater = (blocks + later) * b - s.submittedTokens;
            boolean decode = wanted == least && s.submittedTokens >= s.promptTokens;
            if (decode && reachLater >= wanted) {
                expected = wanted;
            }
            int granted = play.grow(s, wanted, least);
            if (decode && expected == 0 && granted == wanted) {
                return; // suspended sequences have made room
            }
            assertThat(granted).isEqualTo(expected);
            if (expected == 0) {
                if (tiers) {
                    assertThat(audit.holds()).isEqualTo(holds);
                } else {
                    assertThat(audit.digest()).isEqualTo(before);
                }
            }
        }

        private void await() {
            if (!steps.isEmpty()) {
                Step step = steps.removeFirst();
                for (Play.Seq s : step.runs) {
                    if (live.contains(s)) {
                        if (s.inFlight.size() == 1 && s.ends && s.grown == 0) {
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
            Pages pages = play.kv.cached().pages;
            boolean whole = pagesOf(s).allMatch(pages::isFilled);
            totals.endedWhileCopying += pagesOf(s).anyMatch(page -> pages.motion[page] != Motion.STILL) ? 1 : 0;
            play.release(s, commit);
            // An end takes older turns of its conversation away, where only so many are kept.
            boolean forgets = options.policy() == KvOptions.ReusePolicy.PER_CONVERSATION;
            if (options.copyOnPartialReuse() && !forgets) {
                assertThat(play.lookup(CacheScope.unsalted(), other))
                        .as("an end takes nothing from others")
                        .isGreaterThanOrEqualTo(before);
                if (commit && whole && exactKeys && options.reuse() && options.partialReuse() && looksBack) {
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
                    Tier tier = random.nextBoolean() ? Tier.DEVICE : Tier.HOST;
                    if (pages.evictable(tier, lc).size() > 0) {
                        play.kv.cached().drop(pages.evictable(tier, lc).first());
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
                        if (play.ready(s)) {
                            grow(s, 1 + random.nextInt(6), 1);
                            s.grown = 0;
                            play.kv.shrink(s.r, s.submittedTokens + random.nextInt(4));
                        }
                    }
                }
                default -> draft();
            }
        }

        /** Some tokens are tried, fewer are kept; what comes next overwrites the others. */
        private void draft() {
            for (Play.Seq s : live) {
                boolean free = s.inFlight.isEmpty() && steps.isEmpty() && play.ready(s);
                if (free && s.history >= s.promptTokens) {
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
