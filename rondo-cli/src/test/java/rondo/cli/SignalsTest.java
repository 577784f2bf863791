package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Shared;

/** F014: how a server ends that is told to. The real program in a process of its own, which the signals go to. */
@Timeout(120)
class SignalsTest {
    @TempDir
    Path directory;

    private Process process;
    private BufferedReader log;

    private URI start() throws IOException {
        Path config = Files.writeString(
                directory.resolve("serve.yaml"), "max_batch_size: 4\nrondo:\n  cpu_kv_base: 64MiB\n  cpu_threads: 1\n");
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin/java")
                                        .toString(),
                                "--add-modules=jdk.incubator.vector",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Xmx512m",
                                "-Djava.net.preferIPv4Stack=true",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName()),
                        Stream.of(
                                "serve",
                                Shared.root().resolve("models/glimmer-mini").toString(),
                                "--port",
                                "0",
                                "--config",
                                config.toString()))
                .toList();
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        log = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String ready = awaitLine("ready url=");
        return URI.create(ready.replaceAll(".*url=(\\S+).*", "$1"));
    }

    private String awaitLine(String part) throws IOException {
        StringBuilder before = new StringBuilder();
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            if (line.contains(part)) {
                return line;
            }
            before.append(line).append('\n');
        }
        throw new AssertionError("no line with '" + part + "' in:\n" + before);
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    private int exitCode() throws InterruptedException {
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it has ended").isTrue();
        return process.exitValue();
    }

    @Test
    void theFirstSignalDrainsAndTheSecondStopsAtOnce() throws Exception {
        URI server = start();
        try (StreamClient stream = new StreamClient(
                server,
                "/v1/chat/completions",
                "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true,\"ignore_eos\":true,\"max_tokens\":20000}")) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.event()).isTrue();
            signal("INT");
            assertThat(awaitLine("draining")).contains("limit_s=30").contains("a second signal stops at once");
            try (StreamClient late = new StreamClient(server, "/v1/completions", "{\"prompt\":\"a\"}")) {
                assertThat(late.status()).isEqualTo(503);
            }
            assertThat(stream.event()).as("the stream goes on").isTrue();
            long begin = System.nanoTime();
            signal("INT");
            assertThat(awaitLine("stopping at once")).contains("second signal");
            assertThat(exitCode()).isEqualTo(128 + 2);
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin))
                    .as("far less than the 30 s that it would have waited")
                    .isLessThan(15);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void anIdleServerThatIsToldToEndHasEndedWell() throws Exception {
        start();
        try {
            signal("TERM");
            awaitLine("stopped drained=true");
            assertThat(exitCode()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
