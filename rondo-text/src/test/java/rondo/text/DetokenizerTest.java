package rondo.text;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.base.Shared;

class DetokenizerTest {
    private static final String TEXT =
            "plain, naïve café 東京の天気 한국어 \uD83D\uDE00\uD83D\uDC69\u200D\uD83D\uDCBB e\u0301\r\n\tend <tool_call>";
    private static HuggingFaceTokenizer tokenizer;

    @BeforeAll
    static void load() {
        tokenizer = HuggingFaceTokenizer.load(Shared.root().resolve("models/glimmer-mini"));
    }

    @AfterAll
    static void close() {
        tokenizer.close();
    }

    private static String streamed(int[] ids, boolean skip) {
        Detokenizer detokenizer = new Detokenizer(tokenizer, skip);
        StringBuilder out = new StringBuilder();
        for (int id : ids) {
            int before = out.length();
            detokenizer.push(id, out);
            String piece = out.substring(before);
            assertThat(piece.isEmpty() || !Character.isHighSurrogate(piece.charAt(piece.length() - 1)))
                    .as("no half characters")
                    .isTrue();
        }
        detokenizer.flush(out);
        return out.toString();
    }

    /** Random ids: single bytes (invalid UTF-8 too), words, special tokens. */
    private static int[] random(SplittableRandom random) {
        int[] ids = new int[random.nextInt(1, 60)];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = switch (random.nextInt(5)) {
                case 0 -> random.nextInt(4096);
                case 1 -> 4032 + random.nextInt(64);
                default -> random.nextInt(256);
            };
        }
        return ids;
    }

    @Test
    void streamedTextEqualsWhatTheNativeLibraryDecodesForRandomIds() throws IOException {
        TokenizersLibrary library = TokenizersLibrary.LIB;
        long whole = library.createTokenizerFromString(
                Files.readString(Shared.root().resolve("models/glimmer-mini/tokenizer.json")));
        try {
            Seeds.forEach(400, random -> {
                int[] ids = random(random);
                long[] longs = Arrays.stream(ids).asLongStream().toArray();
                for (boolean skip : new boolean[] {false, true}) {
                    String expected = library.decode(whole, longs, skip);
                    assertThat(streamed(ids, skip)).isEqualTo(expected);
                    assertThat(tokenizer.decode(ids, skip)).isEqualTo(expected);
                }
            });
        } finally {
            library.deleteTokenizer(whole);
        }
    }

    @Test
    void encodedTextComesBackWholeWhateverItsCharacters() {
        Seeds.forEach(100, random -> {
            StringBuilder text = new StringBuilder();
            int[] points = TEXT.codePoints().toArray();
            for (int i = random.nextInt(200); i > 0; i--) {
                text.appendCodePoint(points[random.nextInt(points.length)]);
            }
            int[] ids = tokenizer.encode(text.toString(), false, false).toArray();
            assertThat(streamed(ids, true)).isEqualTo(text.toString());
        });
    }

    @Test
    void aCutCharacterIsHeldBackAndBecomesOneReplacement() {
        int[] ids = tokenizer.encode("\uD83D\uDE00", false, false).toArray();
        assertThat(ids.length).isGreaterThan(1);
        Detokenizer detokenizer = new Detokenizer(tokenizer, true);
        StringBuilder out = new StringBuilder();
        detokenizer.push(ids[0], out);
        assertThat(out).isEmpty();
        assertThat(detokenizer.holdsBack()).isTrue();
        detokenizer.flush(out);
        assertThat(out.toString()).isEqualTo("\uFFFD");
    }

    @Test
    void anIdBeyondTheTokenizerIsAReplacementCharacter() {
        assertThat(streamed(new int[] {4096, -1, 334, 1 << 30}, true)).isEqualTo("\uFFFD\uFFFDThe\uFFFD");
    }

    /** R150: what begins no character is let go at once, so that twenty thousand such tokens hold nothing back. */
    @Test
    void aByteThatIsRepeatedForEverIsNotHeldBack() {
        for (byte wrong : new byte[] {(byte) 0x80, (byte) 0xE6, (byte) 0xF0, (byte) 0xFF}) {
            int id = 0;
            while (!Arrays.equals(tokenizer.bytes(id), new byte[] {wrong})) {
                id++;
            }
            Detokenizer detokenizer = new Detokenizer(tokenizer, true);
            StringBuilder out = new StringBuilder();
            for (int i = 1; i <= 20_000; i++) {
                detokenizer.push(id, out);
                assertThat(out.length()).isBetween(i - 1, i);
            }
            detokenizer.flush(out);
            assertThat(out).hasToString("\uFFFD".repeat(20_000));
        }
    }
}
