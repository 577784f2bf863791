package rondo.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import rondo.base.Seeds;
import rondo.base.Shared;
import tools.jackson.databind.node.ArrayNode;

class PrefixTokenizationCacheTest {
    private static final String[] PARTS = {
        "hello world",
        " ",
        "  \n",
        "\r\n",
        "\n",
        "\n\n\t",
        "ab",
        "/",
        "//x\n/",
        "東京",
        "\uD83D\uDC69\u200D\uD83D\uDCBB",
        "e\u0301",
        "\u0301",
        "<|eot|>",
        "<|",
        "eot|>",
        "<tool_call>",
        "<tool",
        "I'll",
        "'",
        "12345",
        " ".repeat(70),
        "};\n  if (x)",
        "\nx",
        "\n/x",
        "\n x",
        "\n-",
        "---\n"
    };
    private static HuggingFaceTokenizer tokenizer;
    private static ChatTemplate template;

    @BeforeAll
    static void load() {
        tokenizer = HuggingFaceTokenizer.load(Shared.root().resolve("models/glimmer-mini"));
        template =
                ChatTemplate.load(Shared.root().resolve("models/glimmer-mini")).orElseThrow();
    }

    @AfterAll
    static void close() {
        tokenizer.close();
    }

    private static String text(SplittableRandom random, int parts) {
        StringBuilder out = new StringBuilder();
        for (int n = random.nextInt(parts); n > 0; n--) {
            out.append(PARTS[random.nextInt(PARTS.length)]);
        }
        return out.toString();
    }

    private static ChatInput chat(List<String> texts) {
        ArrayNode messages = Json.mapper().createArrayNode();
        for (int i = 0; i < texts.size(); i++) {
            messages.addObject().put("role", i % 2 == 0 ? "user" : "assistant").put("content", texts.get(i));
        }
        return ChatInput.of(messages, Json.mapper().createArrayNode(), GoldenTokenizationTest.NOW);
    }

    @Test
    void cachedEqualsFullForConversationsThatGrowAndAreEdited() {
        PrefixTokenizationCache cache = new PrefixTokenizationCache(6, 1 << 20, 64);
        ChatEncoder cached = new ChatEncoder(tokenizer, template, true, cache);
        ChatEncoder full = new ChatEncoder(tokenizer, template, true, PrefixTokenizationCache.off());
        Seeds.forEach(25, random -> {
            List<String> texts = new ArrayList<>(List.of("You are asked: ".repeat(5)));
            for (int turn = 0; turn < 12; turn++) {
                int at = random.nextInt(texts.size());
                switch (random.nextInt(4)) {
                    case 0 -> texts.set(at, texts.get(at) + text(random, 6));
                    case 1 -> {
                        String old = texts.get(at);
                        int cut = random.nextInt(old.length() + 1);
                        texts.set(at, old.substring(0, cut) + text(random, 4) + old.substring(cut));
                    }
                    default -> texts.add(text(random, 20));
                }
                ChatInput input = chat(texts);
                assertThat(cached.encode(input).ids())
                        .isEqualTo(full.encode(input).ids());
            }
        });
        assertThat(cache.stats().hits()).isGreaterThan(100);
        assertThat(cache.stats().entries()).isLessThanOrEqualTo(6);
    }

    static String longText(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        while (text.length() < 60_000) {
            text.append(PARTS[random.nextInt(PARTS.length)]);
        }
        return text.toString();
    }

    static void piecesEqualTheWhole(HuggingFaceTokenizer tokenizer, String text) {
        int[] pieces = tokenizer.encode(text, false, false).toArray();
        assertThat(Arrays.stream(pieces).asLongStream().toArray()).isEqualTo(tokenizer.encodeAtOnce(text));
        assertThat(tokenizer.lastCut(text, 0, text.length())).isPositive();
    }

    @Test
    void longTextsInPiecesEqualThemWhole() {
        Seeds.forEach(3, random -> {
            StringBuilder text = new StringBuilder(longText(random));
            piecesEqualTheWhole(tokenizer, text.toString());
            PrefixTokenizationCache cache = new PrefixTokenizationCache();
            ChatEncoder encoder = new ChatEncoder(tokenizer, template, true, cache);
            ChatEncoder full = new ChatEncoder(tokenizer, template, true, PrefixTokenizationCache.off());
            for (int i = 0; i < 4; i++) {
                text.insert(random.nextInt(text.length()), text(random, 10));
                ChatInput input = chat(List.of(text.toString()));
                assertThat(encoder.encode(input).ids())
                        .isEqualTo(full.encode(input).ids());
            }
            assertThat(cache.stats().hits()).isPositive();
        });
    }

    @Test
    void theSameTextWithOtherOwnTokensIsAnotherText() {
        PrefixTokenizationCache cache = new PrefixTokenizationCache(10, 1 << 20, 8);
        ChatTemplate echo = ChatTemplate.of("{{ own }}<|eot|>{{ messages[0].content }}", Map.of());
        ChatEncoder encoder = new ChatEncoder(tokenizer, echo, true, cache);
        ArrayNode messages = Json.mapper().createArrayNode();
        messages.addObject().put("content", "a<|eot|>b<|eot|>c");
        ChatInput plain = ChatInput.of(messages, Json.mapper().createArrayNode(), GoldenTokenizationTest.NOW);
        ChatTemplate same = ChatTemplate.of("<|eot|>a<|eot|>b<|eot|>c", Map.of());
        ChatEncoder other = new ChatEncoder(tokenizer, same, true, cache);
        assertThat(encoder.encode(plain).text().toString())
                .isEqualTo(other.encode(plain).text().toString());
        assertThat(encoder.encode(plain).ids()).isNotEqualTo(other.encode(plain).ids());
        assertThat(count(encoder.encode(plain).ids().toArray(), 4036)).isEqualTo(1);
        assertThat(count(other.encode(plain).ids().toArray(), 4036)).isEqualTo(3);
    }

    private static long count(int[] ids, int id) {
        return Arrays.stream(ids).filter(x -> x == id).count();
    }

    @Test
    void theOldestEntriesGoWhenCharactersRunOut() {
        PrefixTokenizationCache cache = new PrefixTokenizationCache(100, 3000, 16);
        ChatEncoder encoder = new ChatEncoder(tokenizer, template, true, cache);
        for (int i = 0; i < 20; i++) {
            encoder.encode(chat(List.of(i + " x".repeat(300))));
        }
        assertThat(cache.stats().chars()).isBetween(600L, 3000L);
        encoder.encode(chat(List.of("y".repeat(5000))));
        assertThat(cache.stats().chars()).isLessThanOrEqualTo(3000L);
    }
}
