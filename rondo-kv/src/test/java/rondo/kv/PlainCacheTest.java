package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/**
 * Random conversations on tiny pools, played on the cache and on {@link PlainCache} side by side: after every operation
 * both keep the same prefixes with the same pages, and would evict the same pages in the same order.
 */
class PlainCacheTest {
    @Test
    void bothModelsAgreeOnMatchesHitsAndVictims() {
        Seeds.forEach(50, random -> new Workload(random, false).go(120));
    }

    @Test
    void bothModelsAgreeWithAHostTier() {
        long[] moved = new long[2];
        Seeds.forEach(50, random -> {
            Workload w = new Workload(random, true);
            w.go(120);
            moved[0] += w.play.kv.stats().counters().offloaded();
            moved[1] += w.play.kv.stats().counters().onboarded();
        });
        assertThat(moved[0]).isPositive();
        assertThat(moved[1]).isPositive();
    }

    @Test
    @Tag("long")
    void bothModelsAgreeForLong() {
        Seeds.forEach(4, random -> new Workload(random, random.nextBoolean()).go(4_000));
    }

    private static final CacheScope[] SCOPES = {
        CacheScope.unsalted(), CacheScope.salted("alice"), CacheScope.salted("bob")
    };

    /** One sequence on both sides. */
    private record Pair(Play.Seq real, PlainCache.Seq plain, CacheScope scope) {}

    private static final class Workload {
        final SplittableRandom random;
        final int b;
        final KvOptions options;
        final List<LifeCycle> cycles;
        final Play play;
        final PlainCache plain;
        final List<Pair> live = new ArrayList<>();
        /** What conversations have said so far: prompt and reply. */
        final List<int[]> texts = new ArrayList<>();

        final long[] allocated;
        final long[] reusedFull;
        final long[] reusedPartial;
        long matched;
        long now;
        /** Copies into slots that another copy has to leave first begin in the second plan. */
        int plansSinceArrival;

        Workload(SplittableRandom random, boolean withHost) {
            this.random = random;
            b = random.nextBoolean() ? 4 : 2;
            options = randomOptions();
            cycles = randomCycles();
            List<Integer> slots = cycles.stream()
                    .map(c -> c.isFull() ? 8 + random.nextInt(40) : 6 + random.nextInt(24))
                    .toList();
            List<Integer> host = cycles.stream()
                    .map(c -> withHost && random.nextInt(5) > 0 ? 1 + random.nextInt(16) : 0)
                    .toList();
            play = new Play(b, cycles, slots, host, options, BlockHasher::new);
            plain = new PlainCache(b, cycles, slots, host, options, this::realChoice);
            allocated = new long[cycles.size()];
            reusedFull = new long[cycles.size()];
            reusedPartial = new long[cycles.size()];
        }

        private KvOptions randomOptions() {
            KvOptions.ReusePolicy[] policies = KvOptions.ReusePolicy.values();
            KvOptions some = new KvOptions(
                    random.nextInt(20) > 0,
                    random.nextInt(4) > 0,
                    random.nextInt(4) > 0,
                    policies[random.nextInt(policies.length)],
                    1 + random.nextInt(3),
                    random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 0,
                    random.nextInt(3) == 0 ? random.nextInt(71) : 35,
                    0.95,
                    0,
                    random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(64));
            return some.withTrackDecode(random.nextBoolean()).withSupersede(random.nextBoolean());
        }

        private List<LifeCycle> randomCycles() {
            LifeCycle sliding = new LifeCycle(2 + random.nextInt(11), random.nextInt(4) == 0 ? 1 : 0);
            return switch (random.nextInt(5)) {
                case 0 -> List.of(LifeCycle.full());
                case 1 -> List.of(LifeCycle.full(), sliding);
                case 2 -> List.of(sliding);
                case 3 -> List.of(sliding, LifeCycle.sliding(2 + random.nextInt(18)), LifeCycle.full());
                default -> List.of(sliding, LifeCycle.full());
            };
        }

        void go(int operations) {
            for (int i = 0; i < operations; i++) {
                switch (random.nextInt(10)) {
                    case 0, 1 -> admit();
                    case 2 -> end();
                    case 3 -> other();
                    default -> step();
                }
                compare();
                lookUp();
            }
            while (!live.isEmpty()) {
                release(live.getFirst(), true, true);
            }
            submit(); // copies of sequences that never ran go with a step of copies alone
            settle();
            compare();
        }

        // ---- operations

        /** A text of earlier turns, whole or edited or cut, with something new behind it. */
        private int[] randomText() {
            int[] start = {};
            if (!texts.isEmpty() && random.nextInt(6) > 0) {
                start = texts.get(random.nextInt(texts.size())).clone();
                switch (random.nextInt(4)) {
                    case 0 -> start = Arrays.copyOf(start, random.nextInt(start.length + 1));
                    case 1 -> start[random.nextInt(start.length)] = random.nextInt(3);
                    default -> {}
                }
            }
            int more = Math.max(1, Math.min(60 - start.length, random.nextInt(14)));
            return Play.join(start, random.ints(more, 0, 3).toArray());
        }

        private CacheScope randomScope() {
            return SCOPES[random.nextInt(12) == 0 ? 1 + random.nextInt(2) : 0];
        }

        private void admit() {
            if (live.size() == 5) {
                return;
            }
            int[] prompt = randomText();
            if (prompt.length > 60) {
                return;
            }
            CacheScope scope = randomScope();
            int[] generated = random.ints(1 + random.nextInt(16), 0, 3).toArray();
            play.conversation = random.nextInt(4) == 0 ? "" : "c" + random.nextInt(3);
            PlainCache.Found found = match(scope, prompt, prompt.length - 1);
            Play.Seq real = play.tryAdmit("s", scope, prompt, generated);
            int[] tokens = Play.join(prompt, generated);
            plansSinceArrival = 0;
            PlainCache.Seq model = plain.admit(found, scope, tokens, prompt.length, play.conversation);
            assertThat(model == null).as("both admit it").isEqualTo(real == null);
            if (real == null) {
                return;
            }
            assertThat(real.cached).isEqualTo(found.tokens());
            matched += found.tokens();
            for (int lc = 0; lc < cycles.size(); lc++) {
                int part = found.part() == null ? 0 : 1;
                reusedPartial[lc] += part;
                reusedFull[lc] += model.table.get(lc).size() - part;
                allocated[lc] += options.copyOnPartialReuse() ? part : 0;
            }
            for (int i = 0; i < 5 && !play.ready(real); i++) {
                submit(); // steps of copies alone, until its pages are there
                settle();
            }
            assertThat(play.ready(real)).isTrue();
            live.add(new Pair(real, model, scope));
            texts.add(tokens);
            if (texts.size() > 10) {
                texts.removeFirst();
            }
        }

        private void step() {
            List<Pair> runs = new ArrayList<>();
            for (Pair s : live) {
                int rest = s.real.promptTokens - s.real.history;
                int wanted = rest > 0 ? 1 + random.nextInt(rest) : s.real.history < s.real.tokens.length ? 1 : 0;
                if (wanted == 0 || random.nextInt(4) == 0) {
                    continue;
                }
                int least = 1 + random.nextInt(wanted);
                int blocks = s.plain.capacity;
                int granted = play.grow(s.real, wanted, least);
                assertThat(granted).isEqualTo(plain.grow(s.plain, wanted, least));
                int added = (s.plain.capacity + b - 1) / b - (blocks + b - 1) / b;
                for (int lc = 0; lc < cycles.size(); lc++) {
                    allocated[lc] += added;
                }
                if (granted > 0) {
                    runs.add(s);
                }
            }
            int[] granted = runs.stream().mapToInt(s -> s.real.grown).toArray();
            submit(runs.stream().map(Pair::real).toArray(Play.Seq[]::new));
            for (int i = 0; i < granted.length; i++) {
                play.await(runs.get(i).real);
                plain.completed(runs.get(i).plain, granted[i]);
            }
            settle();
        }

        private void submit(Play.Seq... runs) {
            plain.pools.endPlan(plansSinceArrival++ > 0);
            play.submit(runs);
        }

        private void settle() {
            play.settle();
            plain.stepRetired();
        }

        private void end() {
            if (!live.isEmpty()) {
                Pair s = live.get(random.nextInt(live.size()));
                boolean commit = random.nextInt(8) > 0;
                release(s, commit, commit && random.nextInt(6) > 0);
            }
        }

        private void release(Pair s, boolean commit, boolean over) {
            live.remove(s);
            if (commit && !over) {
                play.kv.pause(s.real.r, s.real.lastStep);
                play.freeSlot(s.real);
            } else {
                play.release(s.real, commit);
            }
            plain.release(s.plain, commit, over);
        }

        private void other() {
            int lc = random.nextInt(cycles.size());
            switch (random.nextInt(6)) {
                case 0 -> {
                    if (play.kv.cached().pages.evictable(lc).size() > 0) {
                        play.kv
                                .cached()
                                .discard(play.kv.cached().pages.evictable(lc).first());
                        plain.drop(
                                PlainPools.victims(plain.pools.released.get(lc)).getFirst());
                    }
                }
                case 1 -> {
                    if (random.nextInt(5) == 0) {
                        play.kv.clear();
                        plain.pools.clear();
                    }
                }
                case 2 -> {
                    now += random.nextLong(Conversations.IDLE_NANOS / 2);
                    play.kv.now(now);
                    plain.now(now);
                }
                default -> step();
            }
        }

        // ---- matches

        private void lookUp() {
            int[] text = randomText();
            match(randomScope(), text, random.nextInt(text.length + 1));
        }

        /** What both find. */
        private PlainCache.Found match(CacheScope scope, int[] text, int limit) {
            Found real = (Found) play.kv.match(play.keys(text, scope), limit);
            Map.Entry<Integer, List<PlainCache.Prefix>> longest = plain.longest(scope, text, limit);
            assertThat(real.tokens())
                    .as("%d of %s, limit %d", longest.getKey(), Arrays.toString(text), limit)
                    .isEqualTo(longest.getKey());
            if (real.partTokens == 0) {
                return new PlainCache.Found(real.tokens(), null);
            }
            PlainCache.Prefix chosen = plain.find(scope, textOf(real.partNode));
            assertThat(longest.getValue()).contains(chosen);
            assertThat(chosen.text)
                    .as("a whole block first, then the one used last")
                    .isEqualTo(plain.preferred(longest.getValue()).text);
            return new PlainCache.Found(real.tokens(), chosen);
        }

        /** The longer block to which the cache has lent a tail's pages: the one that has more of them there than here. */
        private PlainCache.Prefix realChoice(List<PlainCache.Prefix> candidates, PlainPools.Page tail) {
            RadixTree tree = play.kv.cached().tree;
            for (PlainCache.Prefix p : candidates) {
                for (int node = 0; node < tree.idLimit(); node++) {
                    if (tree.exists(node) && !tree.isRoot(node) && name(node).equals(name(p))) {
                        for (int lc = 0; lc < cycles.size(); lc++) {
                            if (tree.page(node, lc) >= 0 && p.pages[lc] == null) {
                                return p;
                            }
                        }
                    }
                }
            }
            return candidates.getFirst();
        }

        // ---- comparison

        private void compare() {
            Pages pages = play.kv.cached().pages;
            RadixTree tree = play.kv.cached().tree;
            Map<String, String> real = new TreeMap<>();
            for (int node = 0; node < tree.idLimit(); node++) {
                if (tree.exists(node) && !tree.isRoot(node)) {
                    StringBuilder row = new StringBuilder();
                    for (int lc = 0; lc < cycles.size(); lc++) {
                        int page = tree.page(node, lc);
                        row.append(
                                page < 0
                                        ? " -"
                                        : " " + pages.coverage[page] + "@" + pages.priority[page] + "x"
                                                + pages.holders[page]
                                                + (pages.tier[page] == Tier.HOST ? "h" : ""));
                    }
                    real.put(name(node), row.toString());
                }
            }
            Map<String, String> model = new TreeMap<>();
            for (PlainCache.Prefix p : plain.prefixes) {
                StringBuilder row = new StringBuilder();
                for (PlainPools.Page page : p.pages) {
                    row.append(
                            page == null
                                    ? " -"
                                    : " " + page.coverage + "@" + page.priority + "x" + page.holders
                                            + (page.onHost ? "h" : ""));
                }
                model.put(name(p), row.toString());
            }
            if (!real.equals(model)) {
                Map<String, String> onlyReal = new TreeMap<>(real);
                onlyReal.entrySet().removeAll(model.entrySet());
                Map<String, String> onlyModel = new TreeMap<>(model);
                onlyModel.entrySet().removeAll(real.entrySet());
                throw new AssertionError("prefixes differ: " + onlyReal + " in the cache, " + onlyModel + " here");
            }
            KvStats stats = play.kv.stats();
            for (int lc = 0; lc < cycles.size(); lc++) {
                assertThat(names(pages.evictable(lc)))
                        .as("victims of life cycle %d", lc)
                        .isEqualTo(names(plain.pools.released.get(lc)));
                assertThat(names(pages.evictable(Tier.HOST, lc)))
                        .as("victims on the host")
                        .isEqualTo(names(plain.pools.hostReleased.get(lc)));
                assertThat(pages.free(lc)).isEqualTo(plain.pools.free(lc));
                assertThat(pages.slots(Tier.HOST, lc).free())
                        .isEqualTo(plain.pools.hostSlots[lc] - plain.pools.onHost[lc]);
                KvStats.Counters c = stats.lifeCycles().get(lc);
                assertThat(c.dropped()).isEqualTo(plain.pools.dropped[lc]);
                assertThat(c.offloaded()).isEqualTo(plain.pools.offloaded[lc]);
                assertThat(c.onboarded()).isEqualTo(plain.pools.onboarded[lc]);
                assertThat(c.allocated()).isEqualTo(allocated[lc]);
                assertThat(c.reusedFull()).isEqualTo(reusedFull[lc]);
                assertThat(c.reusedPartial()).isEqualTo(reusedPartial[lc]);
            }
            assertThat(stats.matchedTokens()).isEqualTo(matched);
        }

        private List<String> names(EvictionQueue q) {
            List<String> out = new ArrayList<>();
            for (int page = q.first(); page >= 0; page = q.after(page)) {
                out.add(name(play.kv.cached().pages.node[page]));
            }
            return out;
        }

        private List<String> names(List<PlainPools.Page> queue) {
            return PlainPools.victims(queue).stream().map(p -> name(p.of)).toList();
        }

        private String name(PlainCache.Prefix p) {
            return Arrays.asList(SCOPES).indexOf(p.scope) + Arrays.toString(p.text);
        }

        private String name(int node) {
            int root = node;
            while (!play.kv.cached().tree.isRoot(root)) {
                root = play.kv.cached().tree.parent[root];
            }
            int scope = 0;
            while (play.kv.cached().tree.root(SCOPES[scope]) != root) {
                scope++;
            }
            return scope + Arrays.toString(textOf(node));
        }

        private int[] textOf(int node) {
            RadixTree tree = play.kv.cached().tree;
            List<int[]> parts = new ArrayList<>();
            for (int at = node; !tree.isRoot(at); at = tree.parent[at]) {
                parts.add(Arrays.copyOfRange(tree.tokens, at * b, at * b + tree.length[at]));
            }
            Collections.reverse(parts);
            return Play.join(parts.toArray(int[][]::new));
        }
    }
}
