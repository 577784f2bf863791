package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import rondo.base.Seeds;
import rondo.engine.EngineOptions.Capacity;
import rondo.engine.EngineOptions.Chunking;
import rondo.engine.EngineOptions.QueueOrder;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.StepPlan;
import rondo.kv.LifeCycle;
import rondo.kv.Retention;

/** What every policy of the scheduler keeps (serve-config.md §2.9), and what each of them promises. */
class PolicyTest {
    private static int[] prompt(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 1000).toArray();
    }

    record Policy(Capacity capacity, Chunking chunking, QueueOrder order, boolean chunked, boolean overlap) {
        EngineOptions on(EngineOptions options) {
            return options.withPolicies(capacity, chunking)
                    .withQueue(order, 100, 100_000)
                    .withChunkedPrefill(chunked)
                    .withOverlap(overlap);
        }
    }

    static Stream<Policy> policies() {
        List<Policy> all = new ArrayList<>();
        for (Capacity capacity : Capacity.values()) {
            for (Chunking chunking : Chunking.values()) {
                for (QueueOrder order : QueueOrder.values()) {
                    for (boolean chunked : new boolean[] {true, false}) {
                        for (boolean overlap : new boolean[] {true, false}) {
                            all.add(new Policy(capacity, chunking, order, chunked, overlap));
                        }
                    }
                }
            }
        }
        return all.stream();
    }

    /** Checks every step as it comes: budgets, one run per sequence, prefills first, chunk borders. */
    private static void watch(EngineHarness h, EngineOptions options) {
        h.executor.onStep((step, plan) -> {
            check(plan, options);
            return new boolean[0];
        });
    }

    private static void check(StepPlan plan, EngineOptions options) {
        assertThat(plan.tokens).isLessThanOrEqualTo(options.maxNumTokens());
        assertThat(plan.runs).isLessThanOrEqualTo(options.maxBatchSize());
        Set<Integer> slots = new HashSet<>();
        int sum = 0;
        for (int run = 0; run < plan.runs; run++) {
            assertThat(slots.add(plan.slot[run])).as("one run per sequence").isTrue();
            sum += plan.length[run];
        }
        assertThat(sum).isEqualTo(plan.tokens);
    }

    private static GenerationRequest request(EngineHarness h, int[] prompt, int max, double priority) {
        return new GenerationRequest(
                "p" + priority + "/" + Arrays.hashCode(prompt),
                h.prompt(prompt),
                max,
                SamplingParams.greedy(),
                StopRules.endingWith(),
                -1,
                TokenConstraint.NONE,
                Retention.of(prompt.length),
                priority);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void everyRequestIsServedRightWhateverThePolicyAndThePool(Policy policy) {
        Seeds.forEach(6, random -> {
            int maxTokens = policy.chunked ? 1 + random.nextInt(40) : 90 + random.nextInt(30);
            EngineOptions options = policy.on(EngineOptions.of(1 + random.nextInt(6), maxTokens, 128));
            ManualClock clock = new ManualClock();
            try (EngineHarness h = EngineHarness.setup()
                    .options(options)
                    .pages(34 + random.nextInt(60))
                    .time(clock)
                    .open()) {
                watch(h, options);
                List<Generation> all = new ArrayList<>();
                List<int[]> prompts = new ArrayList<>();
                List<Integer> lengths = new ArrayList<>();
                for (int i = 0; i < 14; i++) {
                    prompts.add(prompt(random.nextInt(6), 1 + random.nextInt(80)));
                    lengths.add(1 + random.nextInt(30));
                    all.add(h.submit(request(h, prompts.get(i), lengths.get(i), random.nextInt(3) / 2.0)));
                    h.tick(random.nextInt(4));
                    clock.advanceMillis(random.nextInt(3000));
                }
                h.runUntilIdle();
                for (int i = 0; i < 14; i++) {
                    EngineHarness.Output out = EngineHarness.result(all.get(i));
                    assertThat(out.tokens())
                            .isEqualTo(
                                    EngineHarness.expected(NextToken.hashed(), 1000, prompts.get(i), lengths.get(i)));
                }
                EngineStats stats = h.engine.stats();
                assertThat(stats.finished()).isEqualTo(14);
                assertThat(stats.preemption().stalls()).isZero();
                if (policy.capacity == Capacity.GUARANTEED_NO_EVICT) {
                    assertThat(stats.preemptions()).isZero();
                }
                Books.balance(stats);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("policies")
    void equalRequestsEndInTheOrderTheyCame(Policy policy) {
        Seeds.forEach(3, random -> {
            EngineOptions options = policy.on(EngineOptions.of(1 + random.nextInt(5), 24 + random.nextInt(20), 128));
            List<Integer> ended = Collections.synchronizedList(new ArrayList<>());
            try (EngineHarness h = EngineHarness.setup()
                    .options(options)
                    .pages(200)
                    .reuse(false)
                    .open()) {
                watch(h, options);
                for (int i = 0; i < 12; i++) {
                    int index = i;
                    TokenBatch batch = new TokenBatch();
                    h.engine.submit(request(h, prompt(random.nextLong(), 20), 10, 0.5), g -> {
                        if (g.take(batch, 0) && batch.finished) {
                            ended.add(index);
                        }
                    });
                }
                h.runUntilIdle();
                assertThat(ended).hasSize(12).isSorted();
            }
        });
    }

    // ---- no decode is cut, none waits for ever

    @ParameterizedTest
    @MethodSource("policies")
    void anOlderDecodeIsNeverLeftOutForAYoungerOne(Policy policy) {
        Seeds.forEach(3, random -> {
            // The budget holds all decodes, so none has a reason to wait.
            EngineOptions options = policy.on(EngineOptions.of(4, 60, 128));
            try (EngineHarness h =
                    EngineHarness.setup().options(options).pages(400).open()) {
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    all.add(h.submit(request(h, prompt(random.nextLong(), 1 + random.nextInt(50)), 20, 0.5)));
                }
                TokenBatch batch = new TokenBatch();
                Map<Generation, Integer> begun = new HashMap<>();
                for (int step = 0; step < 200; step++) {
                    h.tick(1);
                    for (Generation g : all) {
                        boolean news = g.take(batch, 0);
                        if (begun.containsKey(g)) {
                            assertThat(news).as("a token in every step").isTrue();
                            assertThat(batch.count).isEqualTo(1);
                        }
                        if (news && batch.finished) {
                            begun.remove(g);
                        } else if (news) {
                            begun.put(g, step);
                        }
                    }
                    all.removeIf(g -> !begun.containsKey(g) && begunAndEnded(g, batch));
                }
                assertThat(h.engine.stats().finished()).isEqualTo(8);
            }
        });
    }

    private static boolean begunAndEnded(Generation g, TokenBatch batch) {
        return g.take(batch, 0) && batch.finished;
    }

    /** ⌈active · (1 + d) / T⌉ steps, with d = 0. */
    @Test
    void aDecodeWaitsNoLongerThanARoundThroughAllOfThem() throws Exception {
        for (boolean overlap : new boolean[] {false, true}) {
            for (int budget : new int[] {1, 2, 3, 5, 7}) {
                int sequences = 8;
                EngineOptions options = EngineOptions.of(sequences, budget, 256).withOverlap(overlap);
                try (EngineHarness h =
                        EngineHarness.setup().options(options).pages(400).open()) {
                    List<Generation> all = new ArrayList<>();
                    for (int i = 0; i < sequences; i++) {
                        all.add(h.submit(prompt(i, 1), 120));
                    }
                    int round = (sequences + budget - 1) / budget;
                    int[] last = new int[sequences];
                    TokenBatch batch = new TokenBatch();
                    // The first token of everybody comes with its prefill, which needs room beside the decodes.
                    int step = 0;
                    int[] tokens = new int[sequences];
                    while (h.engine.stats().finished() < sequences) {
                        h.tick(1);
                        step++;
                        for (int i = 0; i < sequences; i++) {
                            if (all.get(i).take(batch, 0)) {
                                if (tokens[i] > 0 && !batch.finished) {
                                    assertThat(step - last[i]).isLessThanOrEqualTo(round);
                                }
                                tokens[i] += batch.count;
                                last[i] = step;
                            }
                        }
                        assertThat(step).isLessThan(10_000);
                    }
                    assertThat(tokens).containsOnly(120);
                }
            }
        }
    }

    // ---- GUARANTEED_NO_EVICT

    @Test
    void whoIsPromisedItsPagesIsNeverPreemptedHoweverScarceTheyAre() {
        Seeds.forEach(40, random -> {
            boolean overlap = random.nextBoolean();
            LifeCycle[] cycles = switch (random.nextInt(3)) {
                case 0 -> new LifeCycle[] {LifeCycle.full()};
                case 1 -> new LifeCycle[] {LifeCycle.sliding(8), LifeCycle.full()};
                default -> new LifeCycle[] {LifeCycle.full(), LifeCycle.sliding(13), LifeCycle.sliding(30)};
            };
            EngineOptions options = EngineOptions.of(2 + random.nextInt(6), 8 + random.nextInt(60), 128)
                    .withOverlap(overlap)
                    .withPolicies(Capacity.GUARANTEED_NO_EVICT, Chunking.values()[random.nextInt(2)]);
            try (EngineHarness h = EngineHarness.setup()
                    .options(options)
                    .lifeCycles(cycles)
                    .pages(33 + random.nextInt(40))
                    .open()) {
                watch(h, options);
                List<Generation> all = new ArrayList<>();
                int[] base = prompt(random.nextLong(), 90);
                for (int i = 0; i < 20; i++) {
                    int[] tokens = Arrays.copyOf(base, 1 + random.nextInt(90));
                    tokens[random.nextInt(tokens.length)] = random.nextInt(1000);
                    all.add(h.submit(tokens, 1 + random.nextInt(38)));
                    h.tick(random.nextInt(8));
                }
                h.runUntilIdle();
                for (Generation g : all) {
                    assertThat(EngineHarness.result(g).reason()).isEqualTo(FinishReason.LENGTH);
                }
                EngineStats stats = h.engine.stats();
                assertThat(stats.preemptions()).isZero();
                assertThat(stats.preemption().drains()).isZero();
                assertThat(stats.preemption().stalls()).isZero();
                Books.balance(stats);
            }
        });
    }

    @Test
    void admissionInOrderWaitsForAllPagesToTheEnd() throws Exception {
        // 20 pages of 4 tokens: 48 tokens need 12, so two do not fit, and the small third one must not overtake.
        EngineOptions options = EngineOptions.of(4, 64, 128)
                .withPolicies(Capacity.GUARANTEED_NO_EVICT, Chunking.FIRST_COME_FIRST_SERVED);
        try (EngineHarness h = EngineHarness.setup()
                .options(options)
                .lifeCycles(LifeCycle.full())
                .pages(20)
                .open()) {
            h.submit(prompt(1, 16), 32);
            h.submit(prompt(2, 16), 32);
            h.submit(prompt(3, 4), 4);
            h.tick(2);
            assertThat(h.engine.stats().running()).isEqualTo(1);
            assertThat(h.engine.stats().waiting()).isEqualTo(2);
            h.tick(31);
            assertThat(h.engine.stats().running()).isEqualTo(2);
            h.runUntilIdle();
            assertThat(h.engine.stats().finished()).isEqualTo(3);
        }
    }

    @Test
    void pagesThatAreSharedArePromisedOnce() throws Exception {
        EngineOptions options = EngineOptions.of(4, 64, 128)
                .withPolicies(Capacity.GUARANTEED_NO_EVICT, Chunking.FIRST_COME_FIRST_SERVED);
        try (EngineHarness h = EngineHarness.setup()
                .options(options)
                .lifeCycles(LifeCycle.full())
                .pages(20)
                .open()) {
            int[] base = prompt(1, 40);
            h.submit(base, 1);
            h.runUntilIdle();
            for (int i = 0; i < 3; i++) {
                int[] turn = Arrays.copyOf(base, 44);
                Arrays.fill(turn, 40, 44, 500 + i);
                h.submit(turn, 4);
            }
            h.tick(2);
            // Ten pages are shared; two more each for the rest.
            assertThat(h.engine.stats().running()).isEqualTo(3);
            h.runUntilIdle();
            assertThat(h.engine.stats().finished()).isEqualTo(4);
        }
    }

    @Test
    void aRequestWhoseOwnNeedExceedsThePoolIsRefusedAtOnce() throws Exception {
        EngineOptions options = EngineOptions.of(4, 64, 512)
                .withPolicies(Capacity.GUARANTEED_NO_EVICT, Chunking.FIRST_COME_FIRST_SERVED);
        try (EngineHarness h = EngineHarness.setup().options(options).pages(20).open()) {
            assertThatThrownBy(() -> h.submit(prompt(1, 41), 40))
                    .isInstanceOf(RequestTooLarge.class)
                    .hasMessage("the KV cache is too small for 81 tokens"
                            + " (prompt and max_tokens, with GUARANTEED_NO_EVICT)");
            Generation fits = h.submit(prompt(1, 40), 40);
            h.runUntilIdle();
            assertThat(EngineHarness.result(fits).tokens()).hasSize(40);
        }
    }

    // ---- EQUAL_PROGRESS

    private static List<String> chunksPerStep(EngineHarness h) {
        List<String> steps = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (int[] run : h.executor.recorded()) {
            if (run[0] < 0) {
                if (line.length() > 0) {
                    steps.add(line.toString());
                }
                line.setLength(0);
            } else {
                line.append(line.length() == 0 ? "" : " ")
                        .append(run[1])
                        .append('+')
                        .append(run[2]);
            }
        }
        steps.add(line.toString());
        return steps;
    }

    @Test
    void prefillsShareAStepEvenlyInBlocksAndTheRemainderGoesToTheOldest() throws Exception {
        EngineOptions options =
                EngineOptions.of(4, 30, 512).withPolicies(Capacity.MAX_UTILIZATION, Chunking.EQUAL_PROGRESS);
        try (EngineHarness h =
                EngineHarness.setup().options(options).reuse(false).open()) {
            h.executor.record();
            h.submit(prompt(1, 40), 1);
            h.submit(prompt(2, 40), 1);
            h.submit(prompt(3, 10), 1);
            h.runUntilIdle();
            assertThat(chunksPerStep(h))
                    .containsExactly(
                            // 7 blocks for three: two each and one to the oldest; the two tokens left end the third.
                            "0+12 0+8 0+10",
                            // 7 blocks for two; two tokens fit no block.
                            "12+16 8+12",
                            "28+12 20+16",
                            "36+4");
        }
    }

    @Test
    void firstComeFirstServedGivesTheOldestAllItCanTake() throws Exception {
        EngineOptions options = EngineOptions.of(4, 30, 512);
        try (EngineHarness h =
                EngineHarness.setup().options(options).reuse(false).open()) {
            h.executor.record();
            h.submit(prompt(1, 40), 1);
            h.submit(prompt(2, 40), 1);
            h.submit(prompt(3, 10), 1);
            h.runUntilIdle();
            assertThat(chunksPerStep(h)).containsExactly("0+28 0+2", "28+12 2+18", "20+20 0+10");
        }
    }

    @Test
    void aFairShareIsFilledFromBelow() {
        FairShare fair = new FairShare();
        for (int want : new int[] {9, 1, 3, 9}) {
            fair.add(want);
        }
        fair.split(16);
        assertThat(new int[] {fair.share(0), fair.share(1), fair.share(2), fair.share(3)})
                .containsExactly(6, 1, 3, 6);
        fair.split(3);
        assertThat(new int[] {fair.share(0), fair.share(1), fair.share(2), fair.share(3)})
                .containsExactly(1, 1, 1, 0);
        fair.split(100);
        assertThat(new int[] {fair.share(0), fair.share(1), fair.share(2), fair.share(3)})
                .containsExactly(9, 1, 3, 9);
    }

    @Test
    void noBlockIsLostAndNobodyGetsTwoMoreThanAnotherThatWantsThem() {
        Seeds.forEach(300, random -> {
            FairShare fair = new FairShare();
            int n = 1 + random.nextInt(20);
            int[] wants = new int[n];
            int all = 0;
            for (int i = 0; i < n; i++) {
                wants[i] = random.nextInt(12);
                all += wants[i];
                fair.add(wants[i]);
            }
            int blocks = random.nextInt(100);
            fair.split(blocks);
            int sum = 0;
            int most = 0;
            for (int i = 0; i < n; i++) {
                sum += fair.share(i);
                most = Math.max(most, fair.share(i));
                assertThat(fair.share(i)).isLessThanOrEqualTo(wants[i]);
            }
            assertThat(sum).isEqualTo(Math.min(all, blocks));
            for (int i = 0; i < n; i++) {
                assertThat(fair.share(i)).isGreaterThanOrEqualTo(Math.min(wants[i], most - 1));
            }
        });
    }

    // ---- chunking off

    /** R044, with exactly 2048 and 2049 tokens. */
    @Test
    void withoutChunkingAPromptOfTheWholeBudgetRunsAndALongerOneIsRefused() throws Exception {
        for (boolean overlap : new boolean[] {false, true}) {
            EngineOptions options =
                    EngineOptions.of(4, 2048, 4096).withChunkedPrefill(false).withOverlap(overlap);
            try (EngineHarness h =
                    EngineHarness.setup().options(options).pages(2000).open()) {
                watch(h, options);
                // Decodes that go on all the time must not keep it out for ever.
                Generation decoding = h.submit(prompt(9, 5), 200);
                h.tick(3);
                Generation whole = h.submit(prompt(1, 2048), 2);
                Generation longer = h.submit(prompt(2, 2049), 2);
                Generation after = h.submit(prompt(3, 100), 2);
                h.runUntilIdle();
                assertThat(EngineHarness.result(decoding).tokens()).hasSize(200);
                assertThat(EngineHarness.result(whole).tokens()).hasSize(2);
                EngineHarness.Output out = EngineHarness.result(longer);
                assertThat(out.reason()).isEqualTo(FinishReason.REFUSED);
                assertThat(out.error())
                        .isEqualTo("the prompt has 2049 tokens to compute, more than max_num_tokens=2048,"
                                + " and enable_chunked_prefill is false");
                assertThat(EngineHarness.result(after).tokens()).hasSize(2);
            }
        }
    }

    @Test
    void withoutChunkingWhatIsCachedDoesNotCount() throws Exception {
        EngineOptions options = EngineOptions.of(4, 64, 512).withChunkedPrefill(false);
        try (EngineHarness h = EngineHarness.setup().options(options).open()) {
            int[] base = prompt(1, 64);
            h.submit(base, 1);
            h.runUntilIdle();
            int[] longer = Arrays.copyOf(base, 120);
            Generation g = h.submit(longer, 1);
            h.runUntilIdle();
            assertThat(EngineHarness.result(g).reason()).isEqualTo(FinishReason.LENGTH);
        }
    }

    @Test
    void withoutChunkingAPausedRequestThatHasOutgrownTheBudgetIsStillFinished() throws Exception {
        EngineOptions options = EngineOptions.of(2, 32, 256).withChunkedPrefill(false);
        try (EngineHarness h =
                EngineHarness.setup().options(options).pages(30).reuse(false).open()) {
            Generation first = h.submit(prompt(1, 30), 60);
            Generation second = h.submit(prompt(2, 30), 60);
            h.runUntilIdle();
            assertThat(h.engine.stats().preemption().recomputations()).isPositive();
            assertThat(EngineHarness.result(first).tokens())
                    .isEqualTo(EngineHarness.expected(NextToken.hashed(), 1000, prompt(1, 30), 60));
            assertThat(EngineHarness.result(second).tokens())
                    .isEqualTo(EngineHarness.expected(NextToken.hashed(), 1000, prompt(2, 30), 60));
        }
    }

    // ---- starvation

    /** A stream of urgent requests passes an ordinary one by, but not for ever. */
    @Test
    void aRequestThatWasPassedOverTooOftenGoesFirst() throws Exception {
        EngineOptions options = EngineOptions.of(1, 64, 512)
                .withQueue(QueueOrder.PRIORITY, 1000, 100_000)
                .withStarvation(1_000_000);
        try (EngineHarness h =
                EngineHarness.setup().options(options).time(new ManualClock()).open()) {
            h.submit(request(h, prompt(0, 5), 1, 1));
            Generation patient = h.submit(request(h, prompt(1, 5), 1, 0));
            TokenBatch batch = new TokenBatch();
            int passed = 0;
            while (!patient.take(batch, 0)) {
                h.submit(request(h, prompt(2 + passed, 5), 1, 1));
                h.tick(1);
                passed++;
                assertThat(passed).isLessThan(100);
            }
            assertThat(passed).isBetween(64, 70);
        }
    }

    @Test
    void aRequestThatWaitsTooLongGoesFirstAndTheYoungestGivesWay() throws Exception {
        ManualClock clock = new ManualClock();
        EngineOptions options = EngineOptions.of(1, 64, 512)
                .withQueue(QueueOrder.PRIORITY, 1000, 100_000)
                .withStarvation(10_000);
        try (EngineHarness h =
                EngineHarness.setup().options(options).time(clock).open()) {
            Generation patient = h.submit(request(h, prompt(1, 5), 3, 0));
            Generation urgent = h.submit(request(h, prompt(2, 5), 400, 1));
            h.tick(5);
            TokenBatch batch = new TokenBatch();
            assertThat(patient.take(batch, 0)).isFalse();
            clock.advanceMillis(10_001);
            h.tick(3);
            assertThat(patient.take(batch, 0)).isTrue();
            h.runUntilIdle();
            assertThat(EngineHarness.result(urgent).tokens())
                    .isEqualTo(EngineHarness.expected(NextToken.hashed(), 1000, prompt(2, 5), 400));
            assertThat(h.engine.stats().preemption().recomputations()).isEqualTo(1);
        }
    }

    @Test
    void underGuaranteedPagesNobodyGivesWayForOneThatWaits() throws Exception {
        ManualClock clock = new ManualClock();
        EngineOptions options = EngineOptions.of(1, 64, 512)
                .withPolicies(Capacity.GUARANTEED_NO_EVICT, Chunking.FIRST_COME_FIRST_SERVED)
                .withQueue(QueueOrder.PRIORITY, 1000, 100_000)
                .withStarvation(10_000);
        try (EngineHarness h =
                EngineHarness.setup().options(options).time(clock).open()) {
            Generation patient = h.submit(request(h, prompt(1, 5), 3, 0));
            h.submit(request(h, prompt(2, 5), 40, 1));
            h.submit(request(h, prompt(3, 5), 40, 1));
            h.tick(5);
            clock.advanceMillis(10_001);
            h.tick(40);
            // Not before the running one has ended, but before the other urgent one.
            TokenBatch batch = new TokenBatch();
            assertThat(patient.take(batch, 0)).isTrue();
            h.runUntilIdle();
            assertThat(h.engine.stats().finished()).isEqualTo(3);
            assertThat(h.engine.stats().preemptions()).isZero();
        }
    }

    // ---- reports

    /** R039: the batch is as full as it can be, whatever it was a step ago. */
    @Test
    void asManyColdPromptsAsFitTheBatchAreAllScheduled() throws Exception {
        for (Chunking chunking : Chunking.values()) {
            EngineOptions options = EngineOptions.of(4, 32, 512).withPolicies(Capacity.MAX_UTILIZATION, chunking);
            ManualClock clock = new ManualClock();
            try (EngineHarness h =
                    EngineHarness.setup().options(options).time(clock).open()) {
                h.executor.onStep((step, plan) -> {
                    clock.advanceMillis(10);
                    return new boolean[0];
                });
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    all.add(h.submit(prompt(i, 100), 200));
                }
                h.tick(20);
                assertThat(h.engine.stats().running()).isEqualTo(4);
                long[] first = new long[4];
                for (int i = 0; i < 4; i++) {
                    TokenBatch batch = new TokenBatch();
                    assertThat(all.get(i).take(batch, 0)).isTrue();
                    first[i] = batch.firstTokenNanos - batch.arrivalNanos;
                }
                assertThat(first[3]).isLessThan(2 * first[2]);
            }
        }
    }

    /** R043: without max_tokens the worst case is not reserved. */
    @Test
    void requestsWithoutALimitRunTogether() throws Exception {
        EngineOptions options = EngineOptions.of(8, 64, 512);
        // Room for 200 tokens more than one sequence of the full context.
        try (EngineHarness h = EngineHarness.setup().options(options).pages(178).open()) {
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int[] tokens = prompt(i, 40);
                all.add(h.submit(tokens, 512 - 40));
            }
            h.tick(10);
            assertThat(h.engine.stats().running()).isEqualTo(8);
            for (Generation g : all) {
                g.stopAt(20, FinishReason.STOP);
            }
            h.runUntilIdle();
            for (Generation g : all) {
                assertThat(EngineHarness.result(g).tokens()).hasSize(20);
            }
            assertThat(h.engine.stats().steps()).isLessThan(2 * (20 + 6));
        }
    }
}
