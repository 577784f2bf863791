package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import rondo.engine.EngineStats;

/** Requests that end in every way, many at once, leave no page, no thread and no socket behind. */
@Timeout(120)
class LeavingClientsTest {
    private static final int REQUESTS = 200;
    private static final int AT_ONCE = 16;
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

    /** Threads of the product that live. */
    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(n -> n.startsWith("rondo-") || n.startsWith("vert.x-"))
                .sorted()
                .toList();
    }

    /** Open sockets of this process, the listening ones and those of clients among them. */
    private static long sockets() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(LeavingClientsTest::isSocket).count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed since it was listed
        }
    }

    private static void await(String what, BooleanSupplier state) throws InterruptedException {
        for (int i = 0; i < 1000 && !state.getAsBoolean(); i++) {
            Thread.sleep(10); // another thread or the system publishes the state, there is no event to wait for
        }
        assertThat(state.getAsBoolean()).as(what).isTrue();
    }

    @Test
    void twoHundredRequestsThatEndInEveryWayLeaveNothingBehind() throws Exception {
        List<String> threadsBefore = threads();
        long socketsBefore = sockets();
        int mostWaiting = 0;
        Map<Ending, Integer> endings = new EnumMap<>(Ending.class);
        try (BundledServer server = BundledServer.start("max_batch_size: 4\nmax_num_tokens: 64\nmax_seq_len: 2048\n")) {
            long socketsIdle = sockets();
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
            await("the sockets of the clients are closed", () -> sockets() <= socketsIdle);
            EngineStats stats = server.stats();
            // The draw has all endings, and those who left came before the engine in all phases of their work.
            assertThat(endings)
                    .hasSize(Ending.values().length)
                    .allSatisfy((e, n) -> assertThat(n).isGreaterThan(15));
            assertThat(mostWaiting).as("a queue formed").isPositive();
            assertThat(stats.cancelled())
                    .isGreaterThanOrEqualTo(endings.get(Ending.LEFT_MID_STREAM) / 2)
                    .isLessThanOrEqualTo(REQUESTS);
            assertThat(stats.finished())
                    .isGreaterThanOrEqualTo(endings.get(Ending.FINISHED) + endings.get(Ending.FINISHED_STREAM));
            assertThat(stats.failed()).isZero();
            // It serves on.
            assertThat(oneRequest(server, numberThatFinishes())).isEqualTo(Ending.FINISHED);
        }
        await("no thread is left", () -> threadsBefore.containsAll(threads()));
        await("no socket is left", () -> sockets() <= socketsBefore);
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
