package rondo.clients;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The product as a user starts it: {@code ./rondo serve} on the bundled model and a free loopback port. */
final class ServerProcess implements AutoCloseable {
    private static final Pattern URL = Pattern.compile("url=(http://\\S+)");

    private final Process process;
    private final URI url;
    private final Thread drain;

    private ServerProcess(Process process, URI url, Thread drain) {
        this.process = process;
        this.url = url;
        this.drain = drain;
    }

    static ServerProcess start(String... flags) throws IOException {
        Path root = root();
        List<String> command = new ArrayList<>(List.of(
                root.resolve("rondo").toString(),
                "serve",
                root.resolve("models/glimmer-mini").toString()));
        command.addAll(List.of("--port", "0"));
        command.addAll(List.of(flags));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder log = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            log.append(line).append('\n');
            Matcher m = URL.matcher(line);
            if (m.find()) {
                Thread drain = Thread.ofVirtual().start(() -> drain(out));
                return new ServerProcess(process, URI.create(m.group(1)), drain);
            }
        }
        throw new IOException("the server ended before it listened:\n" + log);
    }

    /** Reads on, so that the server never waits for a full pipe. */
    private static void drain(BufferedReader out) {
        try {
            while (out.readLine() != null) {
                // the log is not looked at any more
            }
        } catch (IOException e) {
            // the process was ended, and its pipe with it
        }
    }

    static Path root() {
        Path path =
                Path.of(System.getProperty("rondo.root", ".")).toAbsolutePath().normalize();
        while (path != null && !Files.exists(path.resolve("mvnw"))) {
            path = path.getParent();
        }
        if (path == null) {
            throw new IllegalStateException("not inside the repository");
        }
        return path;
    }

    URI url() {
        return url;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
        drain.join();
    }
}
