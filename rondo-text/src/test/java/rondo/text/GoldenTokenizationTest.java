package rondo.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import rondo.base.Shared;
import rondo.base.TokenIds;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** The bundled model's tokenizer and template against what transformers gave (models/glimmer-mini golden lines). */
class GoldenTokenizationTest {
    static final LocalDateTime NOW = LocalDateTime.of(2026, 12, 1, 12, 0);
    private static HuggingFaceTokenizer tokenizer;
    private static ChatTemplate template;
    private static List<JsonNode> golden;

    @BeforeAll
    static void load() {
        tokenizer = HuggingFaceTokenizer.load(Shared.root().resolve("models/glimmer-mini"));
        template =
                ChatTemplate.load(Shared.root().resolve("models/glimmer-mini")).orElseThrow();
        golden = lines("/rondo/text/glimmer-golden.jsonl");
    }

    @AfterAll
    static void close() {
        tokenizer.close();
    }

    static List<JsonNode> lines(String resource) {
        try (InputStream in = Objects.requireNonNull(GoldenTokenizationTest.class.getResourceAsStream(resource))) {
            List<JsonNode> out = new ArrayList<>();
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .forEach(line -> out.add(Json.mapper().readTree(line)));
            return out;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int[] ints(JsonNode array) {
        int[] out = new int[array.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = array.get(i).intValue();
        }
        return out;
    }

    private static ArrayNode array(JsonNode node) {
        return node.isArray() ? (ArrayNode) node : Json.mapper().createArrayNode();
    }

    @Test
    void everyGoldenTextHasItsTokens() {
        for (JsonNode line : golden) {
            TokenIds ids = tokenizer.encode(line.path("text").stringValue(), false, true);
            assertThat(ids.toArray()).as(line.path("name").stringValue()).isEqualTo(ints(line.path("token_ids")));
        }
    }

    /** R093: there is one begin token, that of the template. */
    @Test
    void everyGoldenChatRendersAndEncodesAsTransformersDoes() {
        ChatEncoder safe = new ChatEncoder(tokenizer, template, true, new PrefixTokenizationCache());
        ChatEncoder plain = new ChatEncoder(tokenizer, template, false, PrefixTokenizationCache.off());
        int chats = 0;
        for (JsonNode line : golden) {
            if (!line.path("kind").stringValue().equals("chat")) {
                continue;
            }
            chats++;
            ChatInput input = ChatInput.of(array(line.path("messages")), array(line.path("tools")), NOW);
            ChatEncoder.Prompt prompt = safe.encode(input);
            String name = line.path("name").stringValue();
            assertThat(prompt.text().toString())
                    .as(name)
                    .isEqualTo(line.path("text").stringValue());
            assertThat(prompt.ids().toArray()).as(name).isEqualTo(ints(line.path("token_ids")));
            assertThat(plain.encode(input).ids().toArray()).as(name).isEqualTo(ints(line.path("token_ids")));
        }
        assertThat(chats).isGreaterThan(10);
    }

    @Test
    void goldenContinuationsDecodeToTheirText() {
        for (JsonNode line : golden) {
            assertThat(tokenizer.decode(ints(line.path("greedy")), false))
                    .isEqualTo(line.path("greedy_text").stringValue());
        }
    }

    /** R093: plain text has one if it is wanted. */
    @Test
    void plainTextGetsTheBeginTokenOnlyWhenAskedFor() {
        assertThat(tokenizer.encode("The", true, true).toArray()).containsExactly(4032, 334);
        assertThat(tokenizer.encode("The", false, true).toArray()).containsExactly(334);
        assertThat(tokenizer.encode("", true, true).toArray()).containsExactly(4032);
        assertThat(tokenizer.encode("", false, false).length()).isZero();
    }

    @Test
    void textThatSpellsASpecialTokenStaysTextUnlessParsed() {
        String text = "a<|eot|>b";
        assertThat(tokenizer.encode(text, false, true).toArray()).contains(4036);
        TokenIds plain = tokenizer.encode(text, false, false);
        assertThat(plain.toArray()).doesNotContain(4036);
        assertThat(tokenizer.decode(plain.toArray(), true)).isEqualTo(text);
    }

    @Test
    void addedTokensThatAreNotSpecialAreShownAndSpecialOnesHidden() {
        int[] ids = tokenizer
                .encode("<tool_call>{}</tool_call><|eot|>", false, true)
                .toArray();
        assertThat(ids).startsWith(4041).endsWith(4042, 4036);
        assertThat(tokenizer.decode(ids, true)).isEqualTo("<tool_call>{}</tool_call>");
        assertThat(tokenizer.decode(ids, false)).isEqualTo("<tool_call>{}</tool_call><|eot|>");
    }

    /** R096: half a character has tokens. */
    @Test
    void loneSurrogatesAndNulCharactersAreTextToo() {
        for (String text :
                List.of("a\uD83Db\0c \uD83D\uDE00", "\0", "\0\uD83D\uDE00", "\uDE00\uD83D", "\uD83D\uD83D\uDE00\0x")) {
            TokenIds ids = tokenizer.encode(text, false, true);
            String expected =
                    new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replace('?', '\uFFFD');
            assertThat(tokenizer.decode(ids.toArray(), true)).isEqualTo(expected);
        }
    }

    @Test
    void aTokenizerThatIsClosedSaysSo() {
        HuggingFaceTokenizer other = HuggingFaceTokenizer.load(Shared.root().resolve("models/glimmer-mini"));
        other.close();
        other.close();
        assertThatThrownBy(() -> other.encode("x", false, false)).isInstanceOf(IllegalStateException.class);
    }
}
