package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/**
 * A million operations on the door of the cache, three times: agents' conversations on pools that are far too small, with
 * a host tier, two steps in flight and copies that land late. Contents, counts and order are checked at every operation,
 * every invariant every ten thousand.
 */
@Tag("long")
class SoakTest {
    private static final int OPERATIONS = 1_000_000;
    private static final int AUDIT_EVERY = 10_000;

    @Test
    void aMillionOperationsWithManySequences() {
        // The three seeds draw the three policies.
        Seeds.forEach(3, random -> new Soak(random).go(OPERATIONS));
    }

    private static final class Soak {
        private static final int B = 4;
        private static final int SEQUENCES = 10;
        private static final int LONGEST = 240;
        private static final CacheScope[] SCOPES = {CacheScope.unsalted(), CacheScope.salted("alice")};

        final SplittableRandom random;
        final Play play;
        final KvCacheManager kv;
        final LeanMemory memory;
        final Audit audit;
        final List<Play.Seq> live = new ArrayList<>();
        final Map<Play.Seq, long[]> digests = new HashMap<>();
        final ArrayDeque<List<Play.Seq>> steps = new ArrayDeque<>();
        final List<int[]> texts = new ArrayList<>();
        final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
        /** Steps that carry copies, oldest first: the step, its batch. */
        final ArrayDeque<long[]> carriers = new ArrayDeque<>();

        PageWork work = new PageWork();
        long submitted;
        long completed;
        long retired;
        long batches;
        long landed;
        long operations;
        long nextAudit = AUDIT_EVERY;
        long suspensions;
        long resumptions;
        long clock;

        Soak(SplittableRandom random) {
            this.random = random;
            KvOptions.ReusePolicy[] policies = KvOptions.ReusePolicy.values();
            KvOptions.ReusePolicy policy = policies[random.nextInt(policies.length)];
            List<LifeCycle> cycles = List.of(new LifeCycle(12, policy.ordinal() % 2), LifeCycle.full());
            KvOptions options = new KvOptions(true, true, true, policy, 2, 4, 35, 0.95, 0, 32).withTrackDecode(true);
            play = new Play(B, cycles, List.of(64, 220), List.of(40, 160), options, BlockHasher::new);
            kv = play.kv;
            KvPools pools = new KvPools(play.layout(), List.of(65, 221), List.of(40, 160));
            memory = new LeanMemory(pools, SEQUENCES, LONGEST / B + 1);
            audit = new Audit(kv, play.layout(), new BlockHasher());
            for (int s = 0; s < SEQUENCES; s++) {
                freeSlots.add(s);
            }
        }

        void go(int most) {
            while (operations < most) {
                switch (random.nextInt(12)) {
                    case 0, 1 -> admit();
                    case 2, 3, 4, 5 -> plan();
                    case 6, 7, 8 -> await();
                    case 9 -> end();
                    case 10 -> suspendOrResume();
                    default -> land();
                }
                check();
                if (operations >= nextAudit) {
                    nextAudit += AUDIT_EVERY;
                    audit.check(live);
                }
            }
            comeToRest();
        }

        private void comeToRest() {
            while (!steps.isEmpty()) {
                await();
            }
            while (!live.isEmpty()) {
                release(live.getFirst());
            }
            submit(List.of());
            await();
            landAll();
            fences();
            audit.check(live);
            KvStats stats = kv.stats();
            KvStats.Counters c = stats.counters();
            assertThat(List.of(
                            c.dropped(),
                            c.droppedFromHost(),
                            c.offloadedAhead(),
                            c.offloadedOnDemand(),
                            c.onboarded(),
                            c.takenBack(),
                            c.copied(),
                            c.copiedFromHost(),
                            c.reusedPartial(),
                            suspensions,
                            resumptions,
                            memory.reads))
                    .as("everything happened")
                    .allMatch(n -> n > 0);
            assertThat(stats.keyCollisions()).isZero();
            assertThat(kv.clear()).isTrue();
            for (KvStats.Pool pool : kv.stats().pools()) {
                assertThat(pool.free()).isEqualTo(pool.total());
            }
        }

        /** What costs next to nothing to look at. */
        private void check() {
            for (int lc = 0; lc < 2; lc++) {
                for (Tier tier : Tier.values()) {
                    SlotPool slots = kv.cached().pages.slots(tier, lc);
                    int evictable = kv.cached().pages.evictable(tier, lc).size();
                    if (slots.free() < 0 || evictable < 0 || slots.free() + evictable > slots.total()) {
                        throw new AssertionError("life cycle " + lc + " " + tier + ": " + slots.free() + " free and "
                                + evictable + " evictable of " + slots.total());
                    }
                }
            }
            for (Play.Seq s : live) {
                Reservations r = kv.reservations();
                boolean ordered = r.committed[s.r] <= r.history[s.r]
                        && r.history[s.r] == s.history
                        && r.submitted[s.r] == s.submittedTokens
                        && r.submitted[s.r] <= r.capacity[s.r];
                if (!ordered) {
                    throw new AssertionError("counts of a sequence are out of order, history " + s.history);
                }
            }
        }

        private int[] randomText() {
            int[] start = {};
            if (!texts.isEmpty() && random.nextInt(8) > 0) {
                int[] old = texts.get(random.nextInt(texts.size()));
                start = random.nextInt(3) == 0 ? Arrays.copyOf(old, random.nextInt(old.length + 1)) : old;
            }
            int more = 1 + random.nextInt(16);
            if (start.length + more > LONGEST - 24) {
                start = Arrays.copyOf(start, random.nextInt(60));
            }
            return Play.join(start, random.ints(more, 0, 4).toArray());
        }

        private void admit() {
            operations++;
            if (live.size() == SEQUENCES) {
                return;
            }
            int[] prompt = randomText();
            CacheScope scope = SCOPES[random.nextInt(8) == 0 ? 1 : 0];
            PromptKeys keys = play.keys(prompt, scope);
            Match match = kv.match(keys, prompt.length - 1);
            if (match.tokens() >= prompt.length) {
                throw new AssertionError("the last token of a prompt is never matched");
            }
            String conversation = random.nextInt(4) == 0 ? "" : "c" + random.nextInt(6);
            Retention retention = new Retention(prompt.length, conversation, false);
            OptionalInt r = kv.admit(match, retention, freeSlots.getFirst(), work);
            if (r.isEmpty()) {
                return;
            }
            int[] tokens =
                    Play.join(prompt, random.ints(1 + random.nextInt(20), 0, 4).toArray());
            Play.Seq s = play
            .new Seq("s", tokens, prompt.length, r.getAsInt(), freeSlots.removeFirst(), match.tokens(), keys);
            live.add(s);
            digests.put(s, LeanMemory.digests(tokens, scope));
            texts.add(tokens);
            if (texts.size() > 16) {
                texts.remove(random.nextInt(texts.size()));
            }
        }

        private void plan() {
            if (steps.size() == 2) {
                return;
            }
            kv.now(clock += 1_000_000_000L * random.nextInt(60));
            List<Play.Seq> runs = new ArrayList<>();
            for (Play.Seq s : live) {
                int rest = s.promptTokens - s.submittedTokens;
                int wanted = rest > 0 ? Math.min(rest, 32) : s.submittedTokens < s.tokens.length ? 1 : 0;
                if (wanted > 0 && kv.ready(s.r) && s.inFlight.size() < 2 && random.nextInt(5) > 0) {
                    operations++;
                    s.grown = kv.grow(s.r, wanted, Math.min(wanted, B - s.submittedTokens % B), work);
                    if (s.grown > 0) {
                        runs.add(s);
                    }
                }
            }
            submit(runs);
        }

        private void submit(List<Play.Seq> runs) {
            kv.demoteAhead(work);
            if (work.tierCopies.count > 0) {
                memory.start(work, ++batches);
                kv.copiesStarted(batches);
            }
            while (work.waitsForCopies && batches > landed && !memory.mayLand(batches, completed)) {
                await();
            }
            if (work.waitsForCopies) {
                landAll();
            }
            submitted++;
            operations++;
            if (work.tierCopies.count > 0) {
                carriers.add(new long[] {submitted, batches});
            }
            memory.apply(work);
            work = new PageWork();
            for (Play.Seq s : runs) {
                memory.run(s.slot, digests.get(s), s.submittedTokens, s.grown);
                s.submittedTokens += s.grown;
                s.inFlight.add(s.grown);
                s.lastStep = submitted;
                kv.submitted(s.r, s.grown, submitted);
                s.grown = 0;
            }
            steps.add(runs);
            fences();
        }

        private void fences() {
            while (!carriers.isEmpty() && carriers.getFirst()[1] <= landed) {
                carriers.removeFirst();
            }
            long limit = carriers.isEmpty() ? completed : Math.min(completed, carriers.getFirst()[0] - 1);
            retired = Math.max(retired, limit);
            kv.fences(submitted, completed, retired);
        }

        private void await() {
            if (steps.isEmpty()) {
                return;
            }
            for (Play.Seq s : steps.removeFirst()) {
                operations++;
                if (s.inFlight.size() == 1 && s.ends && s.grown == 0) {
                    release(s);
                    continue;
                }
                int n = s.inFlight.remove();
                s.history += n;
                while (s.keys.tokens() < Math.min(s.history + 1, s.tokens.length)) {
                    s.keys.append(s.tokens[s.keys.tokens()]);
                }
                kv.completed(s.r, n, s.keys);
            }
            completed = submitted - steps.size();
            fences();
        }

        private void land() {
            if (landed < batches && memory.mayLand(landed + 1, completed)) {
                memory.land(++landed);
                kv.copied(landed);
                fences();
            }
        }

        private void landAll() {
            landed = batches;
            memory.land(landed);
            kv.copied(landed);
        }

        private void suspendOrResume() {
            if (live.isEmpty()) {
                return;
            }
            operations++;
            Play.Seq s = live.get(random.nextInt(live.size()));
            if (s.suspended) {
                s.suspended = !kv.resume(s.r, work);
                resumptions += s.suspended ? 0 : 1;
            } else if (s.inFlight.isEmpty()) {
                s.suspended = kv.suspend(s.r, s.lastStep, work);
                suspensions += s.suspended ? 1 : 0;
            }
        }

        private void end() {
            if (!live.isEmpty()) {
                // Mostly one that has said all, or has been at it for long.
                Play.Seq s = live.get(random.nextInt(2) == 0 ? 0 : random.nextInt(live.size()));
                if (s.inFlight.isEmpty()) {
                    release(s);
                } else {
                    s.ends = true;
                }
            }
        }

        private void release(Play.Seq s) {
            operations++;
            live.remove(s);
            digests.remove(s);
            freeSlots.addLast(s.slot);
            switch (random.nextInt(8)) {
                case 0 -> kv.release(s.r, s.lastStep, false);
                case 1 -> kv.pause(s.r, s.lastStep);
                default -> kv.release(s.r, s.lastStep, true);
            }
        }
    }
}
