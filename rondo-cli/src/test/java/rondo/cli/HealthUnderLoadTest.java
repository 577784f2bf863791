package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose engine is busy with many streams still answers whether it lives, at once. */
@Timeout(120)
class HealthUnderLoadTest {
    private static final int STREAMS = 64;
    private static final int TOKENS = 120;
    private static final int QUESTIONS = 50;

    private static int stream(BundledServer server, int number, CountDownLatch streaming) throws Exception {
        String body = "{\"prompt\":[" + (100 + number) + ",7,8,9],\"max_tokens\":" + TOKENS
                + ",\"ignore_eos\":true,\"stream\":true}";
        try (StreamClient client = new StreamClient(server.url(), "/v1/completions", body)) {
            assertThat(client.status()).isEqualTo(200);
            int events = 0;
            while (client.event()) {
                if (events++ == 0) {
                    streaming.countDown();
                }
            }
            return events;
        }
    }

    @Test
    void healthAnswersIn50MillisWhile64StreamsRunOnTheModel() throws Exception {
        double[] millis = new double[QUESTIONS];
        int asked = 0;
        try (BundledServer server = BundledServer.start("max_batch_size: 64\n");
                ExecutorService clients = Executors.newFixedThreadPool(STREAMS)) {
            assertThat(server.get("/health").statusCode()).isEqualTo(200); // the client's own first steps are not timed
            CountDownLatch streaming = new CountDownLatch(STREAMS);
            List<Future<Integer>> streams = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                int number = i;
                streams.add(clients.submit(() -> stream(server, number, streaming)));
            }
            streaming.await();
            assertThat(server.stats().running()).isEqualTo(STREAMS);
            for (; asked < QUESTIONS; asked++) {
                long begun = System.nanoTime();
                assertThat(server.get("/health").statusCode()).isEqualTo(200);
                millis[asked] = (System.nanoTime() - begun) / 1e6;
            }
            assertThat(server.stats().running()).as("they still run").isEqualTo(STREAMS);
            for (Future<Integer> one : streams) {
                assertThat(one.get()).isPositive();
            }
            assertThat(server.stats().generatedTokens()).isEqualTo((long) STREAMS * TOKENS);
            server.awaitIdle();
        }
        Arrays.sort(millis);
        // The median alone would let a loop through that stalls every third time; the maximum is at the mercy of one
        // pause of a machine that others use too, and of the collector. What is slow by design shows in the p95.
        assertThat(millis[QUESTIONS / 2]).as("median, ms").isLessThan(50);
        assertThat(millis[QUESTIONS * 95 / 100]).as("p95, ms").isLessThan(50);
    }
}
