package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Shared;

/**
 * The script {@code ./rondo}, in a copy of the repository's outline whose Java and whose Maven are small scripts that
 * write down how they were called.
 */
class LauncherTest {
    private static final Path BASH = Path.of("/bin/bash");

    @TempDir
    Path temp;

    private Path root;
    private Path jvms;

    private record Run(int code, String out, String err) {}

    @BeforeEach
    void outline() throws IOException {
        assumeTrue(Files.exists(BASH), "skipped: no /bin/bash");
        root = Files.createDirectories(temp.resolve("a folder with spaces"));
        jvms = Files.createDirectories(temp.resolve("jvms"));
        Files.copy(Shared.root().resolve("rondo"), root.resolve("rondo"));
        root.resolve("rondo").toFile().setExecutable(true);
        Files.createDirectories(root.resolve("rondo-cli/src/main/java"));
        Files.createDirectories(root.resolve(".mvn"));
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        Files.writeString(root.resolve("rondo-cli/pom.xml"), "<project/>");
        Files.writeString(root.resolve("rondo-cli/jvm.args"), "-Xlog:disable\n");
        Files.writeString(root.resolve("rondo-cli/src/main/java/A.java"), "class A {}");
        script(root.resolve("mvnw"), """
                echo "mvnw $*" >> calls
                [ ! -e fail ] || { echo '[ERROR] A.java:1: broken'; exit 1; }
                mkdir -p rondo-cli/target/lib
                : > rondo-cli/target/rondo-cli-0.1.0.jar
                : > rondo-cli/target/lib/b.jar
                echo '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 1 s -- in x.Y'
                echo '[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1'
                echo '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0'
                """);
        Files.createDirectories(temp.resolve("home/.m2/wrapper/dists/apache-maven-3.9.11"));
    }

    private static void script(Path path, String body) throws IOException {
        Files.writeString(path, "#!/bin/bash\n" + body);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** A folder that looks like a JDK; its java prints its arguments, and complains once as the real one does. */
    private Path jdk(String name, String version, boolean releaseFile) throws IOException {
        Path home = jvms.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        script(home.resolve("bin/java"), """
                if [ "$1" = -version ]; then echo 'openjdk version "%s" 2026-01-01' >&2; exit 0; fi
                echo 'WARNING: Using incubator modules: jdk.incubator.vector' >&2
                for a in "$@"; do
                  case $a in -XX:AOTCacheOutput=*) : > "${a#*=}"; echo "train" >> "${a#*=}".log ;; esac
                  printf '<%%s>' "$a"
                done
                echo
                echo 'before main' >&2
                [ -z "$RONDO_STDERR_FD" ] || eval "exec 2>&$RONDO_STDERR_FD"
                echo 'to the standard error' >&2
                """.formatted(version));
        script(home.resolve("bin/javac"), "exit 0\n");
        if (releaseFile) {
            Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
        }
        return home;
    }

    private Run rondo(Map<String, String> env, String... args) throws IOException, InterruptedException {
        return run(root.resolve("rondo"), temp, env, args);
    }

    private Run run(Path script, Path from, Map<String, String> env, String... args)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(temp, "out", "");
        Path err = Files.createTempFile(temp, "err", "");
        // `cat` ends when the last writer has closed the standard error, the launcher's filter included.
        String pipe =
                "out=$1 err=$2; shift 2; /bin/bash \"$@\" 2>&1 > \"$out\" | /bin/cat > \"$err\"; exit ${PIPESTATUS[0]}";
        List<String> command = new ArrayList<>(
                List.of(BASH.toString(), "-c", pipe, "bash", out.toString(), err.toString(), script.toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(from.toFile());
        builder.environment()
                .keySet()
                .removeIf(k -> k.startsWith("RONDO") || k.startsWith("MAVEN") || k.equals("JAVA_HOME"));
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().put("HOME", temp.resolve("home").toString());
        builder.environment().put("RONDO_JVM_DIR", jvms.toString());
        builder.environment().putAll(env);
        int code = builder.start().waitFor();
        return new Run(code, Files.readString(out), Files.readString(err));
    }

    private long builds() throws IOException {
        Path calls = root.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    @Test
    void withoutAJdk25OneLineSaysWhatToInstall() throws Exception {
        Path old = jdk("openjdk-17", "17.0.15", true);
        jdk("openjdk-26", "26", true);
        Run run = rondo(Map.of("JAVA_HOME", old.toString(), "PATH", ""), "--version");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .isEqualTo("rondo: needs a JDK 25, found 17.0.15, 26: install temurin-25-jdk or openjdk-25-jdk (Debian,"
                        + " Ubuntu), openjdk@25 (brew), or set JAVA_HOME to the folder of a JDK 25\n");
        assertThat(builds()).isZero();
    }

    @Test
    void withoutAnyJavaTheSameLine() throws Exception {
        Run run = rondo(Map.of("PATH", ""), "serve");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("rondo: needs a JDK 25, found none: install")
                .hasLineCount(1);
    }

    @Test
    void aJdk25IsFoundAmongOthersAndRunsTheFixedClassPath() throws Exception {
        Path old = jdk("openjdk-17", "17.0.15", true);
        jdk("zulu", "25.0.3", true);
        Run run = rondo(Map.of("JAVA_HOME", old.toString()), "serve", "a b", "", "--x=*");
        Path target = root.resolve("rondo-cli/target");
        assertThat(run.code()).isZero();
        assertThat(run.out())
                .isEqualTo("<@" + root.resolve("rondo-cli/jvm.args") + "><-Drondo.home=" + root
                        + "><-XX:AOTCache=" + target.resolve("rondo.aot")
                        + "><-cp><" + target.resolve("lib/b.jar") + ":" + target.resolve("lib/rondo-cli-0.1.0.jar")
                        + "><rondo.cli.Main><serve><a b><><--x=*>\n");
    }

    @Test
    void aJdkWithoutAReleaseFileIsAsked() throws Exception {
        jdk("nameless", "25", false);
        assertThat(rondo(Map.of(), "--version").code()).isZero();
    }

    @Test
    void theNoticeAboutTheVectorModuleIsDroppedAndTheRestOfTheErrorsStays() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        rondo(Map.of(), "--version");
        assertThat(rondo(Map.of(), "--version").err().lines())
                .containsExactlyInAnyOrder("before main", "to the standard error");
    }

    @Test
    void sourcesThatAreNewerThanTheBuildAreBuiltOnce() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        assertThat(rondo(Map.of(), "--version").err()).startsWith("rondo: building");
        assertThat(builds()).isEqualTo(1);
        assertThat(rondo(Map.of(), "--version").err()).doesNotContain("building");
        assertThat(builds()).isEqualTo(1);
        Files.setLastModifiedTime(
                root.resolve("rondo-cli/src/main/java/A.java"), FileTime.fromMillis(System.currentTimeMillis() + 5000));
        rondo(Map.of(), "--version");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void aFolderThatHasBeenMovedIsBuiltAnew() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        rondo(Map.of(), "--version");
        root = Files.move(root, temp.resolve("moved"));
        assertThat(rondo(Map.of(), "--version").out())
                .contains(root.resolve("rondo-cli/target/lib/b.jar").toString());
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void aLibraryThatIsNoLongerUsedLeavesTheClassPath() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        rondo(Map.of(), "--version");
        Files.createFile(root.resolve("rondo-cli/target/lib/old-1.0.jar"));
        Files.setLastModifiedTime(root.resolve("pom.xml"), FileTime.fromMillis(System.currentTimeMillis() + 5000));
        assertThat(rondo(Map.of(), "--version").out()).contains("b.jar").doesNotContain("old-1.0.jar");
    }

    @Test
    void aTestRunOfAPartLeavesTheBuildToTheNextStart() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        rondo(Map.of(), "test");
        assertThat(rondo(Map.of(), "--version").err()).doesNotContain("building");
        rondo(Map.of(), "test", "--", "-pl", "rondo-kv");
        assertThat(rondo(Map.of(), "--version").err()).contains("rondo: building");
    }

    @Test
    void launchesAtTheSameTimeBuildOnce() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        List<Process> running = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ProcessBuilder builder = new ProcessBuilder(
                            BASH.toString(), root.resolve("rondo").toString(), "--version")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().put("RONDO_JVM_DIR", jvms.toString());
            builder.environment().put("PATH", "/usr/bin:/bin");
            builder.environment().put("HOME", temp.resolve("home").toString());
            builder.environment().remove("JAVA_HOME");
            running.add(builder.start());
        }
        for (Process process : running) {
            assertThat(process.waitFor()).isZero();
        }
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aBuildThatFailsShowsItsErrorsAndIsTriedAgain() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        Files.writeString(root.resolve("fail"), "");
        Run run = rondo(Map.of(), "--version");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("A.java:1: broken", "rondo: the build failed");
        Files.delete(root.resolve("fail"));
        assertThat(rondo(Map.of(), "--version").code()).isZero();
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void itRunsThroughSymbolicLinksFromAnywhere() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        Path elsewhere = Files.createDirectories(temp.resolve("else where"));
        Path first = Files.createSymbolicLink(root.resolve("link"), Path.of("rondo"));
        Path second = Files.createSymbolicLink(elsewhere.resolve("r"), first);
        Run run = run(second, elsewhere, Map.of(), "--version");
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("<" + "@" + root.resolve("rondo-cli/jvm.args") + ">");
    }

    @Test
    void theTestCommandRunsVerifyAndEndsWithASummary() throws Exception {
        jdk("jdk-25", "25.0.1", true);
        Run run = rondo(Map.of(), "test", "--", "-Dseed=4");
        assertThat(run.code()).isZero();
        assertThat(Files.readString(root.resolve("calls"))).isEqualTo("mvnw -B -ntp verify -Dseed=4\n");
        assertThat(run.out().lines().toList().getLast())
                .matches("rondo test: OK: tests: 5 run, 0 failed, 1 skipped, 0 min \\d\\d s");
        Run longer = rondo(Map.of(), "test", "--long");
        assertThat(Files.readString(root.resolve("calls")))
                .endsWith("mvnw -B -ntp verify -Dgroups=long | browser -DexcludedGroups=gpu\n"
                        + "mvnw -B -ntp verify -Pclients -pl rondo-clients -Dgroups=long -DexcludedGroups=gpu\n");
        assertThat(longer.out()).contains("rondo test: OK: long tests: ");
        Files.writeString(root.resolve("fail"), "");
        Run failed = rondo(Map.of(), "test");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.out()).contains("rondo test: FAILED: tests");
        assertThat(rondo(Map.of(), "test", "--lnog").code()).isEqualTo(2);
    }

    @Test
    void whatFetchingMavenNeedsIsNamed() throws Exception {
        Path right = jdk("jdk-25", "25.0.1", true);
        Path bin = Files.createDirectories(temp.resolve("bin"));
        for (String tool : List.of("find", "mkdir", "touch", "mv", "rm")) {
            script(bin.resolve(tool), "exec /usr/bin/" + tool + " \"$@\"\n");
        }
        Map<String, String> env = Map.of("JAVA_HOME", right.toString(), "PATH", bin.toString(), "HOME", "/nonexistent");
        assertThat(rondo(env, "--version").err())
                .isEqualTo("rondo: needs curl or wget to fetch Maven: apt-get install curl\n");
        script(bin.resolve("curl"), "exit 0\n");
        assertThat(rondo(env, "--version").err())
                .isEqualTo("rondo: needs unzip to unpack Maven: apt-get install unzip\n");
    }
}
