package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Seeds;
import rondo.engine.EngineOptions;
import rondo.engine.EngineStats;
import rondo.engine.Generation;
import rondo.kv.CacheScope;
import rondo.kv.KvOptions;
import rondo.kv.KvStats;
import rondo.model.ModelOptions;

/**
 * Random conversations of several turns on the real decoder, in pools so small that everything that can happen to a page
 * happens: every greedy answer is that of a fresh engine without reuse. R002, R019, R033, R163: page numbers are shuffled,
 * and pages are handed out full of NaNs.
 */
class DecoderStressTest {
    private static final int TURNS = 5;
    /** Conversations at once. */
    private static final int TOGETHER = 7;

    private static final int LONGEST_PROMPT = 600;
    private static final int MAX_OUTPUT = 8;
    private static final int MAX_SEQ_LEN = 640;

    @TempDir
    private Path directory;

    /** One request and the answer that is right. */
    private record Turn(int[] prompt, int maxTokens, DecoderRig.Answer right) {}

    private record Conversation(CacheScope scope, List<Turn> turns) {}

    /** How the engine under stress is set up. */
    private record Ground(int tokensPerBlock, int budget, int morePages, int hostPages, boolean overlap, KvOptions kv) {
        static Ground draw(SplittableRandom random) {
            int rewind = random.nextInt(3) == 0 ? 64 : 0;
            KvOptions kv =
                    new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, rewind, 35, 0.95, 0, 128);
            return new Ground(
                    8 << random.nextInt(3),
                    64 + 32 * random.nextInt(6),
                    random.nextInt(8),
                    random.nextInt(4) == 0 ? 0 : 10 + random.nextInt(200),
                    random.nextBoolean(),
                    kv);
        }
    }

    /** What happened in all of it. */
    private static final class Events {
        int grounds;
        long requests;
        long cachedTokens;
        long dropped;
        long copied;
        long reusedFull;
        long suspensions;
        long recomputations;
        long offloaded;
        long onboarded;
        long poisoned;
        long windows;

        synchronized void add(DecoderRig rig, long longerThanTheWindowsPool) {
            grounds++;
            windows += longerThanTheWindowsPool;
            EngineStats stats = rig.engine.stats();
            KvStats.Counters kv = rig.kv.stats().counters();
            requests += stats.finished();
            cachedTokens += stats.cachedTokens();
            dropped += kv.dropped();
            copied += kv.copied();
            reusedFull += kv.reusedFull();
            suspensions += stats.preemption().suspensions();
            recomputations += stats.preemption().recomputations();
            offloaded += kv.offloaded();
            onboarded += kv.onboarded();
            poisoned += rig.poisoned();
        }

        void allHappened() {
            assertThat(cachedTokens).as("cached tokens").isPositive();
            assertThat(reusedFull).as("whole blocks reused").isPositive();
            assertThat(copied).as("partly reused blocks").isPositive();
            assertThat(dropped).as("evicted pages").isPositive();
            assertThat(offloaded).as("pages copied to the host").isPositive();
            assertThat(onboarded).as("pages copied back").isPositive();
            assertThat(suspensions).as("sequences suspended").isPositive();
            assertThat(recomputations).as("sequences computed again").isPositive();
            assertThat(poisoned).as("pages handed out with NaNs").isPositive();
            assertThat(windows)
                    .as("sequences longer than all pages of the window's pool")
                    .isPositive();
        }
    }

    @Test
    void oneHundredRandomTurnsAnswerAsAFreshEngineDoes() {
        stress(4, 5);
    }

    @Test
    @Tag("long")
    void twoThousandRandomTurnsAnswerAsAFreshEngineDoes() {
        stress(16, 25);
    }

    /** Each ground is one seed; two at once, each on a thread of its own. */
    private void stress(int grounds, int conversations) {
        Path poisoned = PoisonedCheckpoint.write(directory);
        Events events = new Events();
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Seeds.forEach(grounds, random -> {
                running.add(threads.submit(() -> {
                    Ground ground = Ground.draw(random);
                    List<Conversation> all = conversations(conversations, random);
                    try {
                        answer(all, ground, poisoned, random, events);
                    } catch (Throwable e) {
                        throw new AssertionError("on " + ground + ": " + e.getMessage(), e);
                    }
                    return null;
                }));
            });
            Seeds.forEach(running.size(), random -> running.removeFirst().get());
        }
        assertThat(events.requests).isEqualTo((long) events.grounds * conversations * TURNS);
        if (events.grounds == grounds) {
            events.allHappened();
        }
    }

    // ---- the conversations and their right answers

    /** All conversations, turn by turn in one roomy engine that keeps nothing. */
    private static List<Conversation> conversations(int count, SplittableRandom random) throws Exception {
        int[][] systems = new int[3][];
        for (int i = 0; i < systems.length; i++) {
            systems[i] = random.ints(20 + random.nextInt(60), 0, 4032).toArray();
        }
        List<Conversation> all = new ArrayList<>();
        for (int c = 0; c < count; c++) {
            CacheScope scope = switch (random.nextInt(4)) {
                case 0 -> CacheScope.salted("alice");
                case 1 -> CacheScope.salted("bob");
                default -> CacheScope.unsalted();
            };
            all.add(new Conversation(scope, new ArrayList<>()));
        }
        EngineOptions options = EngineOptions.of(16, 512, MAX_SEQ_LEN).withPrefixAware(false);
        try (DecoderRig fresh = DecoderRig.setup()
                .options(options)
                .kv(KvOptions.defaults().withReuse(false))
                .open()) {
            for (int turn = 0; turn < TURNS; turn++) {
                List<int[]> prompts = new ArrayList<>();
                List<Integer> lengths = new ArrayList<>();
                List<Generation> generations = new ArrayList<>();
                for (Conversation c : all) {
                    int[] prompt = next(c.turns, systems, random);
                    int maxTokens = 1 + random.nextInt(MAX_OUTPUT);
                    prompts.add(prompt);
                    lengths.add(maxTokens);
                    generations.add(fresh.submit(fresh.request(prompt, maxTokens, CacheScope.unsalted())));
                }
                for (int c = 0; c < count; c++) {
                    DecoderRig.Answer right = fresh.finish(generations.get(c));
                    assertThat(right.cachedTokens()).isZero();
                    all.get(c).turns.add(new Turn(prompts.get(c), lengths.get(c), right));
                }
            }
        }
        return all;
    }

    /** The prompt of the next turn: a beginning, the conversation with its reply and more, an edit of it, or a repeat. */
    private static int[] next(List<Turn> turns, int[][] systems, SplittableRandom random) {
        int[] fresh = random.ints(5 + random.nextInt(50), 0, 4032).toArray();
        if (turns.isEmpty()) {
            int[] long1 = random.nextInt(5) == 0
                    ? random.ints(150 + random.nextInt(300), 0, 4032).toArray()
                    : fresh;
            return random.nextInt(3) == 0 ? join(fresh, long1) : join(systems[random.nextInt(systems.length)], long1);
        }
        Turn last = turns.getLast();
        int[] reply = last.right.tokens().stream().mapToInt(Integer::intValue).toArray();
        int[] conversation = join(last.prompt, reply);
        int[] prompt = switch (random.nextInt(8)) {
            case 0 -> last.prompt;
            case 1 ->
                join(
                        Arrays.copyOf(
                                conversation, conversation.length - random.nextInt(Math.min(120, conversation.length))),
                        fresh);
            default -> join(conversation, fresh);
        };
        return prompt.length <= LONGEST_PROMPT
                ? prompt
                : join(Arrays.copyOf(prompt, random.nextInt(LONGEST_PROMPT - 100)), fresh);
    }

    private static int[] join(int[] a, int[] b) {
        int[] all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }

    // ---- the same in an engine under stress

    private static final class Lane {
        final Conversation conversation;
        int turn;
        Optional<DecoderRig.Reading> reading = Optional.empty();

        Lane(Conversation conversation) {
            this.conversation = conversation;
        }
    }

    private static void answer(
            List<Conversation> all, Ground ground, Path poisoned, SplittableRandom random, Events events)
            throws Exception {
        EngineOptions options = EngineOptions.of(6, ground.budget, MAX_SEQ_LEN).withOverlap(ground.overlap);
        try (DecoderRig rig = DecoderRig.setup()
                .options(options)
                .model(ModelOptions.defaults().withTokensPerBlock(ground.tokensPerBlock))
                .kv(ground.kv)
                .tiny(ground.morePages)
                .host(ground.hostPages)
                .harsh(poisoned, random.split())
                .open()) {
            List<Lane> waiting = new ArrayList<>(all.stream().map(Lane::new).toList());
            List<Lane> lanes = new ArrayList<>();
            while (!waiting.isEmpty() || !lanes.isEmpty()) {
                while (lanes.size() < TOGETHER && !waiting.isEmpty()) {
                    lanes.add(waiting.removeFirst());
                }
                for (Lane lane : List.copyOf(lanes)) {
                    advance(lane, rig, ground);
                    if (lane.turn == TURNS) {
                        lanes.remove(lane);
                    } else if (lane.reading.isEmpty() && random.nextInt(8) == 0 && !waiting.isEmpty()) {
                        // It pauses: others come in between, and its pages go.
                        lanes.remove(lane);
                        waiting.add(random.nextInt(waiting.size() + 1), lane);
                    }
                }
                rig.engine.tick();
            }
            rig.booksBalance();
            int slidingPages = rig.kv.stats().pools().getFirst().total();
            events.add(
                    rig,
                    all.stream()
                            .flatMap(c -> c.turns.stream())
                            .filter(t -> t.prompt.length > slidingPages * ground.tokensPerBlock)
                            .count());
        }
    }

    private static void advance(Lane lane, DecoderRig rig, Ground ground) throws Exception {
        Turn turn = lane.conversation.turns.get(lane.turn);
        if (lane.reading.isEmpty()) {
            lane.reading = Optional.of(new DecoderRig.Reading(
                    rig.submit(rig.request(turn.prompt, turn.maxTokens, lane.conversation.scope))));
        } else if (lane.reading.get().ended()) {
            DecoderRig.Answer answer = lane.reading.get().answer();
            assertThat(answer.sameTextAs(turn.right))
                    .as(
                            "turn %d, prompt of %d tokens, %d of them cached, %s: %s instead of %s",
                            lane.turn,
                            turn.prompt.length,
                            answer.cachedTokens(),
                            ground,
                            answer.tokens(),
                            turn.right.tokens())
                    .isTrue();
            lane.reading = Optional.empty();
            lane.turn++;
        }
    }
}
