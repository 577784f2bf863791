package rondo.base;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where tests find the repository and the optional data beside it; what is absent skips the test and says so. */
public final class Shared {
    private Shared() {}

    /** The repository's root. */
    public static Path root() {
        String given = System.getProperty("rondo.root", "");
        Path path = Path.of(given.isEmpty() ? "." : given).toAbsolutePath().normalize();
        while (path != null && !Files.exists(path.resolve("mvnw"))) {
            path = path.getParent();
        }
        if (path == null) {
            throw new IllegalStateException("not inside the repository: " + given);
        }
        return path;
    }

    /** A path of the repository's sibling {@code shared}; the test is skipped, with the reason, where it is absent. */
    public static Path data(String relative) {
        Path path = root().resolveSibling("shared").resolve(relative);
        assumeTrue(Files.exists(path), "skipped: ../shared/" + relative + " is not there");
        return path;
    }
}
