package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import rondo.base.Shared;

/** NOTICE against the jars of this module's class path, which is what {@code ./rondo} runs with. */
class NoticeTest {
    /** On the class path of tests only. */
    private static final List<String> TESTS = List.of(
            "junit-", "opentest4j-", "apiguardian-", "assertj-", "byte-buddy-", "archunit", "surefire-", "rondo-");

    @Test
    void everyShippedJarHasARowWithItsLicence() throws IOException {
        List<String> rows = rows();
        List<String> jars = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(p -> p.endsWith(".jar"))
                .map(p -> Path.of(p).getFileName().toString())
                .filter(name -> TESTS.stream().noneMatch(name::startsWith))
                .toList();
        assertThat(jars).as("the shipped jars").hasSizeGreaterThan(20);
        for (String jar : jars) {
            assertThat(rows)
                    .as("NOTICE needs a row for %s: name | work | licence", jar)
                    .anyMatch(row -> covers(row).test(artifact(jar)));
        }
    }

    @Test
    void everyRowNamesAWorkAndALicence() throws IOException {
        assertThat(rows()).hasSizeGreaterThan(15).allSatisfy(row -> {
            String[] cells = row.split("\\|");
            assertThat(cells).as(row).hasSize(3);
            assertThat(cells[1]).as(row).isNotBlank();
            assertThat(cells[2])
                    .as(row)
                    .containsPattern("Apache-2.0|MIT|EPL-2.0|BSD-2-Clause|BSD-3-Clause|CC0-1.0|MPL-2.0");
        });
    }

    @Test
    void theLicenceIsWhole() throws IOException {
        String text = Files.readString(Shared.root().resolve("LICENSE"));
        assertThat(text).contains("Version 2.0, January 2004", "END OF TERMS AND CONDITIONS");
    }

    private static List<String> rows() throws IOException {
        return Files.readAllLines(Shared.root().resolve("NOTICE")).stream()
                .filter(l -> l.contains("|") && !l.startsWith("jar ") && !l.startsWith("---"))
                .toList();
    }

    /** {@code netty-buffer-4.2.9.Final.jar}: {@code netty-buffer}. */
    private static String artifact(String jar) {
        return jar.replaceFirst("-[0-9][^-]*(-[A-Za-z0-9]+)?\\.jar$", "");
    }

    private static Predicate<String> covers(String row) {
        String name = row.substring(0, row.indexOf('|')).strip();
        return name.endsWith("*") ? a -> a.startsWith(name.substring(0, name.length() - 1)) : name::equals;
    }
}
