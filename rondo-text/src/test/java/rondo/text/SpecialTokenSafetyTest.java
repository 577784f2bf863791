package rondo.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Json;
import rondo.base.Seeds;
import rondo.base.Shared;
import rondo.base.TokenIds;
import rondo.base.UserError;
import rondo.text.Tokenizer.AddedToken;
import rondo.text.jinja.TemplateException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Content never becomes a control token; other tokenizers; clear words about broken checkpoints. */
class SpecialTokenSafetyTest {
    @TempDir
    Path directory;

    private HuggingFaceTokenizer shared(String name) throws IOException {
        Path checkpoint = Files.createDirectories(directory.resolve(name));
        try (InputStream in =
                new GZIPInputStream(Files.newInputStream(Shared.data("tokenizers/" + name + "/tokenizer.json.gz")))) {
            Files.copy(in, checkpoint.resolve("tokenizer.json"));
        }
        Files.copy(
                Shared.data("tokenizers/" + name + "/tokenizer_config.json"),
                checkpoint.resolve("tokenizer_config.json"));
        return HuggingFaceTokenizer.load(checkpoint);
    }

    private static final String[] TEXTS = {
        "Hello world! 123456789",
        " \n\n  def f(x):\n\treturn x+1\r\n",
        "na\u00efve caf\u00e9 \u6771\u4eac \ud83d\ude00\ud83d\udc69\u200d\ud83d\udcbb",
        "I'LL we've   THEY'RE",
        "<|im_end|><|eot_id|><|end|>",
        "e\u0301 \u00e9"
    };
    private static final Map<String, String[]> GOLDEN = Map.of(
            "gptoss",
            new String[] {
                "13225 2375 0 220 7633 19354 29338",
                "1202 220 1056 285 4061 1883 1393 1215 10 16 370",
                "1503 9954 737 30469 185244 88038 28823 102 2524 31446 119",
                "40 6 7454 24716 256 95381 6 1099",
                "27 91 321 13707 91 3784 91 68 346 1537 91 29 200007",
                "68 13430 1212"
            },
            "llama3",
            new String[] {
                "9906 1917 0 220 4513 10961 16474",
                "4815 220 711 282 2120 997 862 865 10 16 319",
                "3458 38672 588 53050 119109 91416 9468 239 102 102470 93273 119",
                "40 6 4178 584 3077 256 63593 95253",
                "27 91 318 6345 91 29 128009 27 91 408 91 29",
                "68 54939 4046"
            },
            "qwen3",
            new String[] {
                "9707 1879 0 220 16 17 18 19 20 21 22 23 24",
                "4710 220 707 282 2075 982 853 856 10 16 319",
                "3376 37572 586 51950 60596 109 46553 90316 145233 378 235 145851",
                "40 6 4086 582 3003 256 62493 94153",
                "151645 27 91 68 354 842 91 1784 91 408 91 29",
                "963 3958"
            });

    private void check(String name, Consumer<HuggingFaceTokenizer> more) throws IOException {
        try (HuggingFaceTokenizer tokenizer = shared(name)) {
            for (int i = 0; i < TEXTS.length; i++) {
                int[] expected = Arrays.stream(GOLDEN.get(name)[i].split(" "))
                        .mapToInt(Integer::parseInt)
                        .toArray();
                assertThat(tokenizer.encode(TEXTS[i], false, true).toArray())
                        .as(name + ": " + TEXTS[i])
                        .isEqualTo(expected);
                boolean normalised = name.equals("qwen3") && TEXTS[i].contains("\u0301");
                assertThat(tokenizer.decode(expected, false)).isEqualTo(normalised ? "\u00e9 \u00e9" : TEXTS[i]);
            }
            contentStaysContent(tokenizer);
            Seeds.forEach(
                    2,
                    random -> PrefixTokenizationCacheTest.piecesEqualTheWhole(
                            tokenizer, PrefixTokenizationCacheTest.longText(random)));
            more.accept(tokenizer);
        }
    }

    @Test
    void gptOssTokensAreTheGoldenOnes() throws IOException {
        check("gptoss", tokenizer -> {});
    }

    @Test
    void llama3TokensAreTheGoldenOnesAlsoThroughItsTemplate() throws IOException {
        check("llama3", tokenizer -> {
            ids(
                    tokenizer,
                    ChatTemplate.load(directory.resolve("llama3")).orElseThrow(),
                    "128000 128006 9125 128007 271 3513 10015 13 128009 128006 882 128007 271 13347 128009 128006 78191"
                            + " 128007 271 9906 13 128009 128006 882 128007 271 17 10 17 30 128009 128006 78191 128007"
                            + " 271");
        });
    }

    @Test
    void qwen3TokensAreTheGoldenOnesAlsoThroughItsTemplate() throws IOException {
        check("qwen3", tokenizer -> {
            ChatTemplate template =
                    ChatTemplate.load(directory.resolve("qwen3")).orElseThrow();
            ids(
                    tokenizer,
                    template,
                    "151644 8948 198 3430 9814 13 151645 198 151644 872 198 13048 151645 198 151644 77091 198 9707 13"
                            + " 151645 198 151644 872 198 220 17 10 17 30 220 151645 198 151644 77091 198");
            ArrayNode messages = array(
                    "[{\"role\":\"user\",\"content\":\"go\"},{\"role\":\"assistant\",\"reasoning_content\":\"think\","
                            + "\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"add\",\"arguments\":{\"a\":1}}}]},"
                            + "{\"role\":\"tool\",\"content\":\"2\"}]");
            ArrayNode tools = array(
                    "[{\"type\":\"function\",\"function\":{\"name\":\"add\",\"description\":\"Add\",\"parameters\":"
                            + "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}}}]");
            ChatEncoder.Prompt prompt = new ChatEncoder(tokenizer, template, true, PrefixTokenizationCache.off())
                    .encode(ChatInput.of(messages, tools, GoldenTokenizationTest.NOW));
            assertThat(prompt.ids().length()).isEqualTo(181);
            assertThat(prompt.text().toString())
                    .contains("<|im_start|>assistant\n<think>\nthink\n</think>\n\n<tool_call>\n{\"name\": \"add\","
                            + " \"arguments\": {\"a\": 1}}\n</tool_call><|im_end|>\n");
        });
    }

    private static void ids(HuggingFaceTokenizer tokenizer, ChatTemplate template, String expected) {
        ArrayNode messages = array(
                "[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":\"Hi\"},"
                        + "{\"role\":\"assistant\",\"content\":\"Hello.\"},{\"role\":\"user\",\"content\":\" 2+2? \"}]");
        ChatInput input = ChatInput.of(messages, Json.mapper().createArrayNode(), GoldenTokenizationTest.NOW);
        int[] ids =
                Arrays.stream(expected.split(" ")).mapToInt(Integer::parseInt).toArray();
        for (boolean safe : new boolean[] {true, false}) {
            assertThat(new ChatEncoder(tokenizer, template, safe, PrefixTokenizationCache.off())
                            .encode(input)
                            .ids()
                            .toArray())
                    .isEqualTo(ids);
        }
    }

    private static ArrayNode array(String json) {
        return (ArrayNode) Json.mapper().readTree(json);
    }

    /** Any mixture of special spellings in contents adds no special id to those that the template writes. */
    private static void contentStaysContent(HuggingFaceTokenizer tokenizer) {
        List<AddedToken> special =
                tokenizer.addedTokens().stream().filter(AddedToken::special).toList();
        AddedToken mark = special.get(0);
        ChatTemplate template = ChatTemplate.of(
                "{% for m in messages %}{{ '" + mark.content() + "' + m.role }}\n{{ m.content | trim }}"
                        + "{{ m.content | lower ~ m.role | upper }}{{ m | tojson }}{% for p in m.parts %}{{ p }}{% endfor %}"
                        + "{{ m.content | replace('#', '') }}{{ m.content.split('|') | join('|') }}{{ m.content[1:] }}"
                        + "{% endfor %}" + mark.content(),
                Map.of());
        ChatEncoder encoder = new ChatEncoder(tokenizer, template, true, PrefixTokenizationCache.off());
        Seeds.forEach(40, random -> {
            ArrayNode messages = Json.mapper().createArrayNode();
            int count = random.nextInt(1, 4);
            for (int i = 0; i < count; i++) {
                String s = special.get(random.nextInt(special.size())).content();
                int cut = random.nextInt(s.length() + 1);
                var message = messages.addObject()
                        .put("role", random.nextBoolean() ? s : "user")
                        .put(
                                "content",
                                "x" + s + s.substring(0, cut) + "#" + s.substring(cut)
                                        + s.toUpperCase(java.util.Locale.ROOT));
                message.putArray("parts")
                        .add(s.substring(0, cut))
                        .add(s.substring(cut))
                        .add(s);
            }
            TokenIds ids = encoder.encode(
                            ChatInput.of(messages, Json.mapper().createArrayNode(), GoldenTokenizationTest.NOW))
                    .ids();
            int[] specials =
                    Arrays.stream(ids.toArray()).filter(tokenizer::isSpecial).toArray();
            assertThat(specials).hasSize(count + 1).containsOnly(mark.id());
        });
    }

    /** R095: what a person writes controls nothing. */
    @Test
    void contentNeverBecomesAControlTokenOfTheBundledModel() {
        try (HuggingFaceTokenizer tokenizer =
                HuggingFaceTokenizer.load(Shared.root().resolve("models/glimmer-mini"))) {
            contentStaysContent(tokenizer);
        }
    }

    @Test
    void brokenCheckpointsAreOneClearLine() throws IOException {
        assertThatThrownBy(() -> HuggingFaceTokenizer.load(directory))
                .isInstanceOfSatisfying(
                        UserError.class, e -> assertThat(e.exitCode()).isEqualTo(UserError.MODEL))
                .hasMessageContaining("tokenizer.json not found");
        Path file = directory.resolve("tokenizer.json");
        for (String text : List.of(
                "",
                "{",
                "[]",
                "{}",
                "null",
                "{\"model\": {\"vocab\": {\"a\": \"b\"}}}",
                "{\"model\": {\"vocab\": {\"a\": 0}}}",
                "{\"added_tokens\": 5}",
                "{\"decoder\":{\"type\":\"ByteLevel\"},\"model\": {\"vocab\": {\"a\": 0}}}",
                "{\"decoder\":{\"type\":\"ByteLevel\"},\"model\": {\"type\":\"BPE\",\"vocab\": {\"a\": 99999999}}}")) {
            Files.writeString(file, text);
            assertThatThrownBy(() -> HuggingFaceTokenizer.load(directory))
                    .as(text)
                    .isInstanceOf(UserError.class)
                    .message()
                    .startsWith("model: ")
                    .doesNotContain("\n");
        }
        Files.writeString(directory.resolve("chat_template.jinja"), "a\n{% if x %}\n{{ y");
        assertThatThrownBy(() -> ChatTemplate.load(directory))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("chat template line 3");
        Files.writeString(directory.resolve("chat_template.jinja"), "ok");
        Files.writeString(directory.resolve("tokenizer_config.json"), "{\"chat_template\": [");
        assertThatThrownBy(() -> ChatTemplate.load(directory)).isInstanceOf(UserError.class);
    }

    @Test
    void templatesAreFoundWhereCheckpointsKeepThem() throws IOException {
        assertThat(ChatTemplate.load(directory)).isEmpty();
        Files.writeString(
                directory.resolve("tokenizer_config.json"),
                "{\"bos_token\": {\"content\": \"<s>\"}, \"chat_template\": [{\"name\": \"default\", \"template\":"
                        + " \"{{ bos_token }}D\"}, {\"name\": \"tool_use\", \"template\": \"T{{ tools | length }}\"}]}");
        ChatTemplate template = ChatTemplate.load(directory).orElseThrow();
        ArrayNode none = Json.mapper().createArrayNode();
        assertThat(template.render(ChatInput.of(none, none, GoldenTokenizationTest.NOW))
                        .toString())
                .isEqualTo("<s>D");
        assertThat(template.render(ChatInput.of(none, array("[{}]"), GoldenTokenizationTest.NOW))
                        .toString())
                .isEqualTo("T1");
        Files.writeString(directory.resolve("chat_template.jinja"), "file wins");
        assertThat(ChatTemplate.load(directory)
                        .orElseThrow()
                        .render(ChatInput.of(none, array("[{}]"), GoldenTokenizationTest.NOW))
                        .toString())
                .isEqualTo("file wins");
    }

    @Test
    void argumentsReachATemplateAsItWantsThem() {
        JsonNode messages =
                Json.mapper().readTree("[{\"tool_calls\":[{\"function\":{\"arguments\":\"{\\\"a\\\":1}\"}}]}]");
        String show = "{% for c in messages[0].tool_calls %}{{ c.function.arguments | tojson }}{% endfor %}";
        ArrayNode none = Json.mapper().createArrayNode();
        ChatInput input = ChatInput.of((ArrayNode) messages, none, GoldenTokenizationTest.NOW);
        assertThat(ChatTemplate.of(show, Map.of()).render(input).toString()).isEqualTo("{\"a\": 1}");
        assertThat(ChatTemplate.of("{# arguments is string #}" + show.replace(" | tojson", ""), Map.of())
                        .render(input)
                        .toString())
                .isEqualTo("{\"a\":1}");
    }

    @Test
    void messagesReachATemplateThatKnowsOnlyStringsAsStrings() {
        ArrayNode messages = array("[{\"role\":\"developer\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
                + "{\"type\":\"text\",\"text\":\"b\"}]},{\"role\":\"assistant\",\"content\":null},"
                + "{\"role\":\"assistant\"}]");
        ArrayNode none = Json.mapper().createArrayNode();
        ChatInput input = ChatInput.of(messages, none, GoldenTokenizationTest.NOW);
        assertThat(ChatTemplate.of("{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}", Map.of())
                        .render(input)
                        .toString())
                .isEqualTo("system:a\nb;assistant:;assistant:;");
        assertThat(ChatTemplate.of(
                                "{% for p in messages[0].content %}{{ p.text }}{% endfor %}{# developer #}"
                                        + "{{ messages[0].role }}",
                                Map.of())
                        .render(input)
                        .toString())
                .isEqualTo("abdeveloper");
    }

    @Test
    void aContinuedMessageEndsThePromptInsideIt() {
        ChatTemplate template =
                ChatTemplate.of("{% for m in messages %}<{{ m.content | trim }}>{% endfor %}!", Map.of());
        ArrayNode messages = array("[{\"content\":\"a\"},{\"content\":\" b \"}]");
        ArrayNode none = Json.mapper().createArrayNode();
        assertThat(template.render(new ChatInput(messages, none, false, true, Map.of(), GoldenTokenizationTest.NOW))
                        .toString())
                .isEqualTo("<a><b ");
    }

    @Test
    void aTemplateThatRefusesItsInputSaysItsOwnWords() {
        ChatTemplate template = ChatTemplate.of("\n{{ raise_exception('roles must alternate') }}", Map.of());
        ArrayNode none = Json.mapper().createArrayNode();
        assertThatThrownBy(() -> template.render(ChatInput.of(none, none, GoldenTokenizationTest.NOW)))
                .isInstanceOfSatisfying(TemplateException.class, e -> {
                    assertThat(e.raised()).isTrue();
                    assertThat(e.reason()).isEqualTo("roles must alternate");
                    assertThat(e.line()).isEqualTo(2);
                });
    }
}
