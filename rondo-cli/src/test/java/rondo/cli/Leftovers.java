package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a server that has ended may not leave in its process: threads and sockets. */
record Leftovers(List<String> threads, long sockets) {
    /** Column of a line of the system's TCP tables. */
    private static final int INODE = 9;

    static Leftovers now() {
        List<String> threads = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(n -> n.startsWith("rondo-") || n.startsWith("vert.x-"))
                .sorted()
                .toList();
        return new Leftovers(threads, openSockets());
    }

    /** Open TCP sockets of this process, the listening ones and those of clients among them. */
    private static long openSockets() {
        // The runtime keeps a local pair of its own after the first socket: only what the system lists under TCP
        // counts.
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            Set<String> sockets = open.map(Leftovers::target).collect(Collectors.toSet());
            return Stream.of("tcp", "tcp6")
                    .flatMap(Leftovers::lines)
                    .map(line -> "socket:[" + line.strip().split("\\s+")[INODE] + "]")
                    .filter(sockets::contains)
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> lines(String table) {
        try {
            return Files.readAllLines(Path.of("/proc/self/net", table)).stream().skip(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed since it was listed
        }
    }

    /** Waits until no thread and no socket is there that this picture does not have. */
    void awaitNoMore() throws InterruptedException {
        awaitNoMoreSockets();
        await(() -> threads.containsAll(now().threads()));
        assertThat(threads).containsAll(now().threads());
    }

    void awaitNoMoreSockets() throws InterruptedException {
        await(() -> openSockets() <= sockets);
        assertThat(openSockets()).as("open sockets").isLessThanOrEqualTo(sockets);
    }

    /** Looks again and again, at most ten seconds long. */
    static void await(BooleanSupplier state) throws InterruptedException {
        for (int i = 0; i < 1000 && !state.getAsBoolean(); i++) {
            Thread.sleep(10); // another thread or the system publishes the state, there is no event to wait for
        }
    }
}
