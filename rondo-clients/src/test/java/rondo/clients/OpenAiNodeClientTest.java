package rondo.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** OpenAI's JavaScript SDK from npm, run by node, against the real server. */
@Tag("long")
class OpenAiNodeClientTest {
    private static final String SDK = "openai@7.55.0";

    @Test
    void chatsStreamsCallsAToolAndCancels() throws Exception {
        assumeTrue(works("node", "--version") && works("npm", "--version"), "skipped: node and npm are not installed");
        Path folder = ServerProcess.root().resolve("rondo-clients/target/node");
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("package.json"), "{\"private\":true,\"type\":\"module\"}\n");
        run(folder, "npm", "install", "--no-audit", "--no-fund", "--silent", SDK);
        try (var script = OpenAiNodeClientTest.class.getResourceAsStream("/node/openai.mjs")) {
            assertThat(script).isNotNull();
            Files.write(folder.resolve("openai.mjs"), script.readAllBytes());
        }
        try (ServerProcess server = ServerProcess.start()) {
            String out = run(
                    folder, "node", "openai.mjs", server.url().resolve("/v1").toString());
            assertThat(out).contains("all checks passed");
        }
    }

    private static boolean works(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static String run(Path folder, String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(out).isZero();
        return out;
    }
}
