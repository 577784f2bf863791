package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.kv.KvEvent;

/** When the engine hands over what the cache has to tell. */
class StepEventsTest {
    private static final int[] PROMPT = {1, 2, 3, 4, 5, 6, 7, 8, 9};

    /** Keeps what it is given, with a mark after each step. */
    private static class Kept implements StepEvents {
        final List<KvEvent> events = new ArrayList<>();
        int steps;

        @Override
        public void accept(long id, KvEvent event) {
            assertThat(id).isEqualTo(events.size());
            events.add(event);
        }

        @Override
        public void stepEnded(int lost) {
            assertThat(lost).isZero();
            steps++;
        }

        int stored() {
            return events.stream()
                    .mapToInt(e -> e instanceof KvEvent.Stored s ? s.blocks().size() : 0)
                    .sum();
        }
    }

    @Test
    void whoeverHasTakenAnEndFindsTheEventsOfAllThatWasCommitted() throws Exception {
        Kept kept = new Kept();
        try (EngineHarness harness = EngineHarness.setup().events(kept, 1000).open()) {
            List<Integer> storedAtTheEnd = new ArrayList<>();
            harness.engine.submit(harness.request(PROMPT, 4), g -> {
                TokenBatch batch = new TokenBatch();
                while (g.take(batch, 0)) {
                    if (batch.finished) {
                        storedAtTheEnd.add(kept.stored());
                    }
                }
            });
            harness.runUntilIdle();
            // 9 + 3 tokens are three blocks of 4, in each of two life cycles.
            assertThat(storedAtTheEnd).containsExactly(6);
            assertThat(kept.events.subList(0, 2)).allMatch(e -> e instanceof KvEvent.Created);
        }
    }

    @Test
    void aResetIsToldThoughNothingRuns() throws Exception {
        Kept kept = new Kept();
        try (EngineHarness harness = EngineHarness.setup().events(kept, 1000).open()) {
            harness.submit(PROMPT, 2);
            harness.runUntilIdle();
            harness.engine.clearPrefixCache();
            harness.engine.tick();
            assertThat(kept.events.getLast()).isEqualTo(new KvEvent.Cleared());
        }
    }

    @Test
    void aReceiverThatFailsCostsNobodyAnAnswer() throws Exception {
        StepEvents broken = new StepEvents() {
            @Override
            public void accept(long id, KvEvent event) {
                throw new IllegalStateException("the receiver is broken");
            }

            @Override
            public void stepEnded(int lost) {}
        };
        int[] plain;
        try (EngineHarness harness = EngineHarness.setup().open()) {
            Generation g = harness.submit(PROMPT, 5);
            harness.runUntilIdle();
            plain = EngineHarness.result(g).tokens();
        }
        try (EngineHarness harness = EngineHarness.setup().events(broken, 1000).open()) {
            Generation g = harness.submit(PROMPT, 5);
            harness.runUntilIdle();
            EngineHarness.Output output = EngineHarness.result(g);
            assertThat(output.reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(output.tokens()).isEqualTo(plain);
        }
    }

    @Test
    void nobodyIsAskedForEventsThatNobodyWants() throws Exception {
        try (EngineHarness harness =
                EngineHarness.setup().events(StepEvents.NONE, 1000).open()) {
            harness.submit(PROMPT, 3);
            harness.runUntilIdle();
            List<KvEvent> left = new ArrayList<>();
            harness.kv.drainEvents((id, e) -> left.add(e));
            assertThat(left).as("still in the cache's own buffer").isNotEmpty();
        }
    }
}
