package rondo.server.kvevents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import rondo.base.Json;
import rondo.base.Seeds;
import rondo.engine.EngineHarness;
import tools.jackson.databind.JsonNode;

/** The stream as Python's libzmq and msgpack read it, which is what routers are made with. */
@Tag("long")
@Timeout(120)
class PythonSubscriberTest {
    @TempDir
    private Path directory;

    /** One that has both packages: they may be the system's, and another Python first on the path. */
    private static Optional<String> python() {
        for (String python : List.of("python3", "/usr/bin/python3")) {
            try {
                Process probe = new ProcessBuilder(python, "-c", "import zmq, msgpack")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                if (probe.waitFor() == 0) {
                    return Optional.of(python);
                }
            } catch (IOException e) {
                continue;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        return Optional.empty();
    }

    @ParameterizedTest
    @EnumSource
    void aSubscriberInPythonHasExactlyTheCachesBlocks(StreamOptions.Format format) throws Exception {
        Optional<String> python = python();
        assumeTrue(python.isPresent(), "needs python3 with zmq and msgpack (Debian: python3-zmq, python3-msgpack)");
        Path script = directory.resolve("subscriber.py");
        try (InputStream in = PythonSubscriberTest.class.getResourceAsStream("subscriber.py")) {
            Files.copy(in, script);
        }
        String any = "tcp://127.0.0.1:*";
        StreamOptions options =
                new StreamOptions(any, Optional.of(any), 10_000, 100_000, 100_000, "kv@pod@m", format, false);
        Seeds.forEach(1, random -> {
            KvEventStream stream = KvEventStream.open(options, Events.HYBRID, InstantSource.system());
            Tee tee = new Tee(stream, 1);
            try (stream;
                    EngineHarness harness = Conversations.engine(tee)) {
                Process process = new ProcessBuilder(
                                python.get(),
                                script.toString(),
                                stream.endpoint(),
                                stream.replayEndpoint(),
                                format.name().toLowerCase(java.util.Locale.ROOT),
                                "kv@")
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                try (BufferedReader answers = process.inputReader();
                        BufferedWriter questions = process.outputWriter()) {
                    assertThat(answers.readLine()).isEqualTo("ready");
                    for (int round = 0; round < 5; round++) {
                        Conversations.play(harness, random, 40);
                        questions.write(tee.batches + "\n");
                        questions.flush();
                        String answer = answers.readLine();
                        assertThat(answer).as("the subscriber gave up").isNotNull();
                        assertThat(places(answer)).isEqualTo(tee.anonymous());
                    }
                    assertThat(tee.anonymous()).isNotEmpty();
                } finally {
                    process.destroy();
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    private static Set<Router.Place> places(String json) {
        Set<Router.Place> out = new HashSet<>();
        for (JsonNode row : Json.mapper().readTree(json)) {
            out.add(new Router.Place(row.get(0).longValue(), row.get(1).stringValue(), -1));
        }
        return out;
    }
}
