package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import rondo.engine.EngineStats;
import rondo.kv.KvStats;

/** Requests that end in every way, many at once, leave no page, no thread and no socket behind. */
@Timeout(120)
class LeavingClientsTest {
    private static final int REQUESTS = 200;
    private static final int AT_ONCE = 16;
    private static final int SOAK_CLIENTS = 64;
    private static final int SOAK_REQUESTS = 400;
    private static final int SOAK_ROUNDS = 3;
    private static final long SOAK_HEAP_BYTES = 16L << 20;
    private static final List<String> REFUSED = List.of(
            "{\"prompt\":\"a\",\"max_tokens\":-1}",
            "{\"prompt\":\"a\",\"max_tokens\":\"many\"}",
            "{\"prompt\":\"a\",\"temperature\":9}",
            "{\"prompt\":[1,2,99999999]}",
            "{\"prompt\":\"a\",\"stream\":\"yes\"}",
            "{\"prompt\":\"a\"",
            "{}");

    /** How a request ends; the client that leaves does so before the answer, after its head, or after some events. */
    private enum Ending {
        FINISHED,
        FINISHED_STREAM,
        LEFT_AT_ONCE,
        LEFT_AFTER_THE_HEAD,
        LEFT_MID_STREAM,
        REFUSED
    }

    private static String body(SplittableRandom random, boolean stream, int maxTokens) {
        // One in four is so long that its prefill takes many steps, and another in four shares a prefix.
        int length = random.nextInt(4) == 0 ? 600 + random.nextInt(600) : 1 + random.nextInt(200);
        boolean shared = random.nextInt(4) == 0;
        StringBuilder ids = new StringBuilder();
        for (int i = 0; i < length; i++) {
            ids.append(i == 0 ? "" : ",").append(shared && i < 150 ? 100 + i : random.nextInt(4000));
        }
        return "{\"prompt\":[" + ids + "],\"max_tokens\":" + maxTokens + ",\"ignore_eos\":true,\"stream\":" + stream
                + "}";
    }

    private static Ending oneRequest(BundledServer server, int number) throws IOException {
        SplittableRandom random = new SplittableRandom(7_000_003L * number + 11);
        Ending ending = Ending.values()[random.nextInt(Ending.values().length)];
        String body = switch (ending) {
            case FINISHED -> body(random, false, 1 + random.nextInt(24));
            case FINISHED_STREAM -> body(random, true, 1 + random.nextInt(24));
            case LEFT_AT_ONCE -> body(random, random.nextBoolean(), 400);
            case LEFT_AFTER_THE_HEAD, LEFT_MID_STREAM -> body(random, true, 400);
            case REFUSED -> REFUSED.get(random.nextInt(REFUSED.size()));
        };
        try (StreamClient client = new StreamClient(server.url(), "/v1/completions", body)) {
            switch (ending) {
                case FINISHED -> {
                    assertThat(client.status()).isEqualTo(200);
                    assertThat(client.rest()).contains("\"finish_reason\":\"length\"");
                }
                case FINISHED_STREAM -> {
                    assertThat(client.status()).isEqualTo(200);
                    assertThat(client.rest()).contains("\"finish_reason\":\"length\"", "data: [DONE]");
                }
                case LEFT_AT_ONCE -> {}
                case LEFT_AFTER_THE_HEAD -> assertThat(client.status()).isEqualTo(200);
                case LEFT_MID_STREAM -> {
                    assertThat(client.status()).isEqualTo(200);
                    for (int i = random.nextInt(12); i >= 0; i--) {
                        assertThat(client.event()).isTrue();
                    }
                }
                case REFUSED -> {
                    assertThat(client.status()).isEqualTo(400);
                    assertThat(client.rest()).contains("\"error\"");
                }
            }
        }
        return ending;
    }

    @Test
    void twoHundredRequestsThatEndInEveryWayLeaveNothingBehind() throws Exception {
        Leftovers before = Leftovers.now();
        int mostWaiting = 0;
        Map<Ending, Integer> endings = new EnumMap<>(Ending.class);
        try (BundledServer server = BundledServer.start("max_batch_size: 4\nmax_num_tokens: 64\nmax_seq_len: 2048\n")) {
            Leftovers idle = Leftovers.now();
            try (ExecutorService clients = Executors.newFixedThreadPool(AT_ONCE)) {
                List<Future<Ending>> all = new ArrayList<>();
                for (int i = 0; i < REQUESTS; i++) {
                    int number = i;
                    all.add(clients.submit(() -> oneRequest(server, number)));
                }
                for (Future<Ending> one : all) {
                    mostWaiting = Math.max(mostWaiting, server.stats().waiting());
                    endings.merge(one.get(), 1, Integer::sum);
                }
            }
            server.awaitIdle();
            idle.awaitNoMoreSockets();
            EngineStats stats = server.stats();
            // The draw has all endings, and those who left came before the engine in all phases of their work.
            assertThat(endings)
                    .hasSize(Ending.values().length)
                    .allSatisfy((e, n) -> assertThat(n).isGreaterThan(15));
            assertThat(mostWaiting).as("a queue formed").isPositive();
            assertThat(stats.cancelled())
                    .isGreaterThanOrEqualTo(endings.get(Ending.LEFT_MID_STREAM))
                    .isLessThanOrEqualTo(REQUESTS);
            assertThat(stats.finished())
                    .isGreaterThanOrEqualTo(endings.get(Ending.FINISHED) + endings.get(Ending.FINISHED_STREAM));
            assertThat(stats.failed()).isZero();
            // It serves on.
            assertThat(oneRequest(server, numberThatFinishes())).isEqualTo(Ending.FINISHED);
        }
        before.awaitNoMore();
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void aSoakOfSixtyFourClientsLeavesHeapThreadsSocketsAndPagesAsTheyWere() throws Exception {
        Leftovers before = Leftovers.now();
        try (BundledServer server = BundledServer.start("max_batch_size: 8\nmax_seq_len: 2048\n")) {
            Leftovers idle = Leftovers.now();
            // The first round fills caches and compiles; the rounds after it may not grow the heap any more.
            soak(server, 0);
            long heap = heapAfterCollection();
            for (int round = 1; round <= SOAK_ROUNDS; round++) {
                soak(server, round);
                idle.awaitNoMoreSockets();
            }
            assertThat(heapAfterCollection() - heap)
                    .as("bytes of heap that stayed")
                    .isLessThan(SOAK_HEAP_BYTES);
            assertThat(server.stats().failed()).isZero();
        }
        before.awaitNoMore();
    }

    private static void soak(BundledServer server, int round) throws Exception {
        try (ExecutorService clients = Executors.newFixedThreadPool(SOAK_CLIENTS)) {
            List<Future<Ending>> all = new ArrayList<>();
            for (int i = 0; i < SOAK_REQUESTS; i++) {
                int number = 100_000 * (round + 1) + i;
                all.add(clients.submit(() -> oneRequest(server, number)));
            }
            for (Future<Ending> one : all) {
                one.get();
            }
        }
        server.awaitIdle();
    }

    private static long heapAfterCollection() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        // One collection may leave what a finalizer or a reference queue still has to see.
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    /** R046: in the queue. */
    @Test
    void whoLeavesInTheQueueIsNeverComputed() throws Exception {
        Leftovers before = Leftovers.now();
        try (BundledServer server = BundledServer.start("max_batch_size: 1\nmax_seq_len: 16384\n")) {
            try (StreamClient running = new StreamClient(server.url(), "/v1/completions", prompt(4, 16_000))) {
                assertThat(running.status()).isEqualTo(200);
                assertThat(running.event()).isTrue();
                try (StreamClient queued = new StreamClient(server.url(), "/v1/completions", prompt(500, 8))) {
                    assertThat(queued.status()).isEqualTo(200);
                    Leftovers.await(() -> server.stats().waiting() == 1);
                    assertThat(server.stats().waiting()).isEqualTo(1);
                }
                Leftovers.await(() -> server.stats().waiting() == 0);
                assertThat(server.stats().waiting()).isZero();
                assertThat(server.stats().waitingTokens()).isZero();
                assertThat(server.stats().running()).isEqualTo(1);
                assertThat(server.stats().promptTokens())
                        .as("of the running one")
                        .isEqualTo(4);
                assertThat(running.event()).isTrue();
            }
            server.awaitIdle();
            assertThat(server.stats().cancelled()).isEqualTo(2);
        }
        before.awaitNoMore();
    }

    /** R046: in the prefill. */
    @Test
    void whoLeavesInPrefillGetsNoToken() throws Exception {
        Leftovers before = Leftovers.now();
        // So long a prompt in so small steps that its prefill has hundreds of them.
        try (BundledServer server = BundledServer.start("max_num_tokens: 64\nmax_seq_len: 20000\n")) {
            try (StreamClient client = new StreamClient(server.url(), "/v1/completions", prompt(19_000, 8))) {
                assertThat(client.status()).isEqualTo(200);
                Leftovers.await(() -> server.stats().running() == 1);
                assertThat(server.stats().running()).isEqualTo(1);
                assertThat(server.stats().kv().pools().stream()
                                .mapToInt(KvStats.Pool::held)
                                .sum())
                        .isPositive();
            }
            server.awaitIdle();
            assertThat(server.stats().cancelled()).isEqualTo(1);
            assertThat(server.stats().generatedTokens()).isZero();
            assertThat(server.stats().steps()).isLessThan(19_000 / 64);
        }
        before.awaitNoMore();
    }

    private static String prompt(int tokens, int maxTokens) {
        String ids = IntStream.range(0, tokens)
                .mapToObj(i -> "" + (i * 7 + 3) % 4000)
                .collect(Collectors.joining(","));
        return "{\"prompt\":[" + ids + "],\"max_tokens\":" + maxTokens + ",\"ignore_eos\":true,\"stream\":true}";
    }

    private static int numberThatFinishes() {
        int number = 0;
        while (new SplittableRandom(7_000_003L * number + 11).nextInt(Ending.values().length)
                != Ending.FINISHED.ordinal()) {
            number++;
        }
        return number;
    }
}
