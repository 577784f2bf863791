package rondo.engine.grammar;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import rondo.engine.TokenConstraint;

/**
 * One token of a guided generation over a vocabulary of 128,256 tokens: accept it, and write the mask of the next. Percentiles
 * over all tokens of a document.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class MaskBench {
    private static final int VOCABULARY = 128_256;
    private static final String OBJECT =
            """
            {"type":"object","properties":{"path":{"type":"string"},"mode":{"enum":["read","write","append"]},"lines":{"type":
            "array","items":{"type":"integer","minimum":1,"maximum":99999}},"reason":{"type":"string","maxLength":200},"nested":
            {"type":"object","properties":{"title":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}},
            "required":["title","tags"]}},"required":["path","mode","reason","nested"]}
            """;
    private static final String DOCUMENT = "{\"path\": \"/src/main/java/some folder/File.java\", \"mode\": \"read\", \"lines\": [12, 345, 9],"
            + " \"reason\": \"the quick brown fox wants to know what is in there, and why; so it reads\", \"nested\":"
            + " {\"title\": \"a title of some words\", \"tags\": [\"one\", \"two words\", \"three\"]}}";

    @Param({"schema", "json", "regex"})
    String grammar;

    private final Map<String, Integer> ids = new HashMap<>();
    private int longest;
    private int[] document = {};
    private MemorySegment bits = MemorySegment.NULL;
    private TokenConstraint constraint = TokenConstraint.NONE;
    private @Nullable Grammar compiled;
    private int at;

    @Setup
    public void setUp() {
        byte[][] tokens = vocabulary();
        GrammarCompiler compiler = new GrammarCompiler(() -> TokenTrie.of(tokens), System::nanoTime);
        bits = Arena.ofAuto().allocate((VOCABULARY + 63) / 64 * 8L, 8);
        document = split(DOCUMENT);
        compiled = compiler.compile(
                switch (grammar) {
                    case "schema" -> new GrammarSpec.Schema(OBJECT, false, false);
                    case "json" -> new GrammarSpec.JsonObject();
                    default -> new GrammarSpec.Regex("\\{[ -~]{10,2000}\\}");
                });
        restart();
    }

    private void restart() {
        constraint = Objects.requireNonNull(compiled).start(new int[] {VOCABULARY - 1});
        at = 0;
    }

    @Benchmark
    public boolean acceptAndMask() {
        if (at == document.length) {
            restart();
        }
        if (!constraint.accept(document[at++])) {
            throw new IllegalStateException("token " + (at - 1) + " is not allowed");
        }
        return constraint.fill(bits);
    }

    /** All bytes, words with and without a leading space in falling frequency, runs of spaces, pieces of JSON. */
    private byte[][] vocabulary() {
        Set<String> texts = new LinkedHashSet<>();
        for (String piece : new String[] {"\": \"", "\": ", "\", \"", "\"]", "\"}", "\"]}}", "{\"", "[\"", ": [", "], \"", "\", \"", "},", "\",\""}) {
            texts.add(piece);
        }
        for (String word : DOCUMENT.split("[^a-zA-Z]+")) {
            texts.add(word);
            texts.add(" " + word);
        }
        for (int n = 1; n <= 64; n++) {
            texts.add(" ".repeat(n));
        }
        SplittableRandom random = new SplittableRandom(1);
        while (texts.size() < VOCABULARY - 257) {
            StringBuilder word = new StringBuilder(random.nextInt(3) > 0 ? " " : "");
            int length = 1 + random.nextInt(4) + random.nextInt(7);
            int alphabet = random.nextInt(20);
            for (int i = 0; i < length; i++) {
                word.appendCodePoint(
                        alphabet < 15 ? 'a' + random.nextInt(26) : alphabet < 17 ? 'A' + random.nextInt(26) : alphabet < 18 ? 0x4E00 + random.nextInt(8000) : 33 + random.nextInt(90));
            }
            texts.add(word.toString());
        }
        List<byte[]> all = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            all.add(new byte[] {(byte) b});
        }
        for (String text : texts) {
            ids.putIfAbsent(text, all.size());
            longest = Math.max(longest, text.length());
            all.add(text.getBytes(StandardCharsets.UTF_8));
        }
        all.add(new byte[0]);
        return all.toArray(new byte[0][]);
    }

    private int[] split(String text) {
        int[] out = new int[text.length()];
        int n = 0;
        for (int i = 0; i < text.length(); ) {
            int length = Math.min(longest, text.length() - i);
            while (length > 1 && !ids.containsKey(text.substring(i, i + length))) {
                length--;
            }
            Integer id = ids.get(text.substring(i, i + length));
            out[n++] = id == null ? text.charAt(i) : id;
            i += length;
        }
        return Arrays.copyOf(out, n);
    }
}
