package rondo.engine.grammar;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import rondo.engine.TokenConstraint;

/** A model that says anything at all, as long as the grammar allows it: uniform sampling over the masked vocabulary. */
final class Talker {
    /** All single bytes, pieces that cross the borders of JSON's parts, and the end token last. */
    private static final String[] PIECES = {
        "\"", "{\"", "\":", "\", \"", "},", "}]", "true", "null", "false", "abc", "ab", "12", "-", "0.", "\\u", "00",
        "\n  ", "a\",\"b", "\"}]}", "hello", "é", "日本", "👩‍👩", " ", "[[", "]]", ",\"", "fo", "foo", "bar", "@x.",
        "2024-", "::"
    };

    /** Limits are in time of this thread's own, so that a busy machine refuses nothing. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    final byte[][] tokens;
    final int end;
    private final GrammarCompiler compiler;

    Talker() {
        List<byte[]> all = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            all.add(new byte[] {(byte) b});
        }
        for (String piece : PIECES) {
            all.add(piece.getBytes(StandardCharsets.UTF_8));
        }
        all.add(new byte[0]);
        tokens = all.toArray(new byte[0][]);
        end = tokens.length - 1;
        compiler = new GrammarCompiler(() -> TokenTrie.of(tokens), THREADS::getCurrentThreadCpuTime);
    }

    static long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    Grammar compile(GrammarSpec spec) {
        try {
            return compiler.compile(spec);
        } catch (CompilersBusy e) {
            throw new AssertionError(e);
        }
    }

    TokenConstraint start(GrammarSpec spec) {
        return compile(spec).start(new int[] {end});
    }

    /** Which tokens the mask allows. */
    List<Integer> allowed(TokenConstraint constraint) {
        MemorySegment bits = Arena.ofAuto().allocate((tokens.length + 63) / 64 * 8L, 8);
        List<Integer> found = new ArrayList<>();
        if (!constraint.fill(bits)) {
            throw new AssertionError("a grammar always writes its mask");
        }
        for (int id = 0; id < tokens.length; id++) {
            if ((bits.getAtIndex(ValueLayout.JAVA_LONG, id >> 6) >>> (id & 63) & 1) != 0) {
                found.add(id);
            }
        }
        return found;
    }

    /**
     * Says something to its end; past {@code patience} tokens it ends as soon as it may, and prefers short ways. Empty if
     * chance does not find the end.
     */
    Optional<String> say(GrammarSpec spec, SplittableRandom random, int patience) {
        TokenConstraint constraint = start(spec);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < 300 + 60 * patience; i++) {
            List<Integer> allowed = allowed(constraint);
            if (allowed.isEmpty()) {
                throw new AssertionError("nothing may follow " + out.toString(StandardCharsets.UTF_8));
            }
            boolean ends = allowed.contains(end) && (i > patience || random.nextInt(4) == 0);
            int id = ends ? end : pick(allowed, random, i > patience);
            if (!constraint.accept(id)) {
                throw new AssertionError("the mask allows token " + id + " after " + out);
            }
            if (id == end) {
                return Optional.of(out.toString(StandardCharsets.UTF_8));
            }
            out.writeBytes(tokens[id]);
        }
        return Optional.empty();
    }

    /** In a hurry: mostly what closes something, sometimes one of the longer pieces, sometimes anything. */
    private int pick(List<Integer> allowed, SplittableRandom random, boolean hurry) {
        int mood = hurry ? random.nextInt(4) : 3;
        if (mood < 2) {
            for (char closing : "\"]})".toCharArray()) {
                if (allowed.contains((int) closing)) {
                    return closing;
                }
            }
        }
        List<Integer> pieces =
                mood < 3 ? allowed.stream().filter(id -> id >= 256 && id != end).toList() : List.of();
        List<Integer> from = pieces.isEmpty() ? allowed : pieces;
        int id = from.get(random.nextInt(from.size()));
        return id == end && allowed.size() > 1 ? allowed.getFirst() : id;
    }

    boolean accepts(GrammarSpec spec, String text) {
        TokenConstraint constraint = start(spec);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (!constraint.accept(b & 0xFF)) {
                return false;
            }
        }
        return constraint.mayEnd();
    }
}
