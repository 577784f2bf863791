package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.Seeds;

/** Whole days of a scheduler under a clock that only steps move: nobody waits for ever, nobody is lost, all pages return. */
class VirtualTimeTest {
    private static final int STEP_MILLIS = 10;

    private static int[] prompt(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 1000).toArray();
    }

    private static int[] expected(int[] prompt, int count) {
        return EngineHarness.expected(NextToken.hashed(), 1000, prompt, count);
    }

    /** A request as its owner sees it: when its tokens came. */
    private static final class Client {
        final int[] prompt;
        final int maxTokens;
        final List<Integer> tokens = new ArrayList<>();
        boolean gotSomething;
        boolean decoding;
        FinishReason end = FinishReason.ERROR;
        boolean ended;
        long endedNanos;
        String error = "";
        int preemptions;
        /** A younger one has got a token since this one's last, which is right only if this one was preempted. */
        boolean passedOver;

        boolean wronglyPassedOver;

        Client(int[] prompt, int maxTokens) {
            this.prompt = prompt;
            this.maxTokens = maxTokens;
        }

        Generation submit(EngineHarness h, ManualClock clock) throws Exception {
            TokenBatch batch = new TokenBatch();
            return h.engine.submit(h.request(prompt, maxTokens), g -> {
                while (g.take(batch, 0)) {
                    for (int i = 0; i < batch.count; i++) {
                        tokens.add(batch.tokens[i]);
                    }
                    gotSomething |= batch.count > 0;
                    wronglyPassedOver |= passedOver && batch.preemptions == preemptions;
                    passedOver = false;
                    preemptions = batch.preemptions;
                    if (batch.finished) {
                        ended = true;
                        end = batch.reason;
                        error = batch.error;
                        endedNanos = clock.nanoTime();
                    }
                }
            });
        }

        void assertWhole() {
            assertThat(ended).isTrue();
            assertThat(error).isEmpty();
            assertThat(end).isEqualTo(FinishReason.LENGTH);
            assertThat(tokens.stream().mapToInt(t -> t).toArray()).isEqualTo(expected(prompt, maxTokens));
        }
    }

    private static EngineHarness.Setup setup(ManualClock clock, boolean overlap) {
        return EngineHarness.setup().time(clock).overlap(overlap);
    }

    private static void stepsTakeTime(EngineHarness h, ManualClock clock) {
        h.executor.onStep((step, plan) -> {
            clock.advanceMillis(STEP_MILLIS);
            return new boolean[0];
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofABurstEverybodyIsServedInTurn(boolean overlap) throws Exception {
        ManualClock clock = new ManualClock();
        try (EngineHarness h =
                setup(clock, overlap).options(EngineOptions.of(8, 64, 128)).open()) {
            stepsTakeTime(h, clock);
            List<Client> clients = new ArrayList<>();
            for (int burst = 0; burst < 3; burst++) {
                for (int i = 0; i < 80; i++) {
                    Client c = new Client(prompt(100 * burst + i, 40), 20);
                    clients.add(c);
                    c.submit(h, clock);
                }
                h.tick(50);
            }
            h.runUntilIdle();
            long before = 0;
            for (Client c : clients) {
                c.assertWhole();
                assertThat(c.endedNanos).isGreaterThanOrEqualTo(before);
                before = c.endedNanos;
            }
            // 240 times 60 tokens in steps of at most 64, and the pipeline never idles for long.
            assertThat(h.engine.stats().steps()).isLessThan(240 * 60 / 8);
            h.booksBalance();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMillionTokensAmongShortRequestsNeverHoldUpADecode(boolean overlap) throws Exception {
        ManualClock clock = new ManualClock();
        int million = 1_000_000;
        try (EngineHarness h = setup(clock, overlap)
                .tokensPerBlock(32)
                .pages(33_000)
                .options(EngineOptions.of(16, 8192, 1_048_576))
                .model((tokens, count, position, vocabulary) -> tokens[count - 1] * 7 + position & 511)
                .open()) {
            h.executor.readNewest(1);
            stepsTakeTime(h, clock);
            List<Client> shorts = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Client c = new Client(prompt(i, 30), 300);
                shorts.add(c);
                c.submit(h, clock);
            }
            h.tick(3);
            Client giant = new Client(prompt(99, million), 5);
            giant.submit(h, clock);
            List<Client> late = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Client c = new Client(prompt(50 + i, 30), 10);
                late.add(c);
                c.submit(h, clock);
            }
            int steps = 0;
            while (giant.tokens.isEmpty()) {
                shorts.forEach(c -> c.gotSomething = false);
                h.tick(1);
                steps++;
                for (Client c : shorts) {
                    assertThat(c.gotSomething).as("a decode in step %d", steps).isTrue();
                }
            }
            // The decodes' tokens are all that is taken from it; its chunks end on block borders.
            assertThat(steps).isBetween(million / 8192, million / (8192 - 32 - 8) + 4);
            h.runUntilIdle();
            for (Client c : late) {
                assertThat(c.end).isEqualTo(FinishReason.LENGTH);
                assertThat(c.tokens).hasSize(10);
            }
            assertThat(giant.tokens).hasSize(5);
            h.booksBalance();
        }
    }

    @Test
    void aStormOfCancelsLosesNobodyAndLeavesNothing() {
        Seeds.forEach(30, random -> {
            ManualClock clock = new ManualClock();
            try (EngineHarness h = setup(clock, random.nextBoolean())
                    .options(EngineOptions.of(1 + random.nextInt(8), 8 + random.nextInt(60), 128))
                    .pages(34 + random.nextInt(40))
                    .hostPages(random.nextInt(2) * 30)
                    .open()) {
                stepsTakeTime(h, clock);
                h.executor.delayCopies(random.nextInt(3));
                List<Client> clients = new ArrayList<>();
                List<Generation> generations = new ArrayList<>();
                Set<Integer> cancelled = new HashSet<>();
                for (int i = 0; i < 150; i++) {
                    Client c = new Client(prompt(random.nextInt(30), 1 + random.nextInt(80)), 1 + random.nextInt(40));
                    clients.add(c);
                    generations.add(c.submit(h, clock));
                    for (int k = random.nextInt(3); k > 0; k--) {
                        int victim = random.nextInt(generations.size());
                        generations.get(victim).cancel();
                        cancelled.add(victim);
                    }
                    h.tick(random.nextInt(3));
                }
                h.runUntilIdle();
                for (int i = 0; i < clients.size(); i++) {
                    Client c = clients.get(i);
                    assertThat(c.ended).isTrue();
                    int[] right = expected(c.prompt, c.maxTokens);
                    int[] got = c.tokens.stream().mapToInt(t -> t).toArray();
                    assertThat(got).isEqualTo(Arrays.copyOf(right, got.length));
                    assertThat(c.end).isIn(FinishReason.LENGTH, FinishReason.CANCELLED);
                    if (!cancelled.contains(i)) {
                        c.assertWhole();
                    }
                }
                h.booksBalance();
            }
        });
    }

    /** R031: with room for little more than one sequence, with and without a host tier, whatever the way to make room. */
    @ParameterizedTest
    @CsvSource({"0,0", "1,0", "8,0", "0,6", "1,6", "8,6", "0,40", "1,40", "8,40", "0,200", "1,200", "8,200"})
    void nobodyWaitsForEverInAPoolOfOneSequence(int morePages, int hostPages) throws Exception {
        int length = 64;
        for (EngineOptions.Preemption how : EngineOptions.Preemption.values()) {
            for (int variant = 0; variant < 8; variant++) {
                boolean overlap = (variant & 1) == 0;
                ManualClock clock = new ManualClock();
                try (EngineHarness h = setup(clock, overlap)
                        .options(EngineOptions.of(8, 32, length).withPreemption(how))
                        .pages(length / 4 + morePages)
                        .hostPages(hostPages)
                        .reuse((variant & 2) == 0)
                        .open()) {
                    stepsTakeTime(h, clock);
                    h.executor.delayCopies(variant >> 2);
                    List<Client> clients = new ArrayList<>();
                    for (int i = 0; i < 8; i++) {
                        Client c = new Client(prompt(i, 20 + 3 * (i % 3)), length - 26);
                        clients.add(c);
                        c.submit(h, clock);
                    }
                    String which = how + " overlap " + overlap + " variant " + variant;
                    int without = 0;
                    int turns = 0;
                    while (!clients.stream().allMatch(c -> c.ended)) {
                        clients.forEach(c -> c.gotSomething = false);
                        h.tick(1);
                        without = clients.stream().anyMatch(c -> c.gotSomething) ? 0 : without + 1;
                        assertThat(without)
                                .as("turns without a token, %s", which)
                                .isLessThan(25);
                        assertThat(++turns).as(which).isLessThan(8 * 8 * length);
                    }
                    h.runUntilIdle();
                    clients.forEach(Client::assertWhole);
                    h.booksBalance();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void timeLimitsEndWhoWaitsAndWhoRunsTooLong(boolean overlap) throws Exception {
        ManualClock clock = new ManualClock();
        try (EngineHarness h = setup(clock, overlap)
                .options(EngineOptions.of(2, 32, 512).withTimeouts(300, 1000))
                .pages(120)
                .open()) {
            stepsTakeTime(h, clock);
            List<Client> clients = new ArrayList<>();
            long begin = clock.nanoTime();
            for (int i = 0; i < 12; i++) {
                // Two at a time for 200 ms each, but the first two would take 4 s.
                Client c = new Client(prompt(i, 10), i < 2 ? 400 : 20);
                clients.add(c);
                c.submit(h, clock);
            }
            h.runUntilIdle();
            for (int i = 0; i < 12; i++) {
                Client c = clients.get(i);
                assertThat(c.end).isEqualTo(FinishReason.TIMEOUT);
                long limit = (i < 2 ? 1000 : 300) * 1_000_000L;
                assertThat(c.endedNanos - begin).isBetween(limit, limit + 2 * STEP_MILLIS * 1_000_000L);
                assertThat(c.tokens.isEmpty()).isEqualTo(i >= 2);
            }
            h.booksBalance();
        }
    }

    /** In every step: whoever decodes, is older and was not preempted gets its token if anybody younger does. */
    @Test
    void noDecodeIsCutForAYoungerOne() {
        Seeds.forEach(40, random -> {
            ManualClock clock = new ManualClock();
            boolean overlap = random.nextBoolean();
            try (EngineHarness h = setup(clock, overlap)
                    .options(EngineOptions.of(2 + random.nextInt(6), 8 + random.nextInt(40), 128))
                    .pages(40 + random.nextInt(60))
                    .reuse(random.nextBoolean())
                    .open()) {
                stepsTakeTime(h, clock);
                List<Client> clients = new ArrayList<>();
                for (int turn = 0; turn < 4000; turn++) {
                    if (clients.size() < 30 && random.nextInt(3) == 0) {
                        Client c = new Client(prompt(clients.size(), 1 + random.nextInt(70)), 1 + random.nextInt(50));
                        clients.add(c);
                        c.submit(h, clock);
                    }
                    clients.forEach(c -> c.gotSomething = false);
                    if (h.engine.tick() == EngineLoop.IDLE && clients.size() == 30) {
                        break;
                    }
                    boolean youngerDecodes = false;
                    for (int i = clients.size() - 1; i >= 0; i--) {
                        Client c = clients.get(i);
                        if (c.decoding && !c.gotSomething && !c.ended && youngerDecodes) {
                            c.passedOver = true;
                        }
                        youngerDecodes |= c.decoding && c.gotSomething;
                    }
                    clients.forEach(c -> c.decoding = !c.tokens.isEmpty() && !c.ended);
                }
                clients.forEach(Client::assertWhole);
                clients.forEach(c -> assertThat(c.wronglyPassedOver).isFalse());
                h.booksBalance();
            }
        });
    }
}
