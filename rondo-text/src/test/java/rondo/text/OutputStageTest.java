package rondo.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.base.Shared;
import rondo.text.Tokenizer.AddedToken;
import rondo.text.parse.OutputEvent;
import rondo.text.parse.OutputEvent.CallArguments;
import rondo.text.parse.OutputEvent.CallBegin;
import rondo.text.parse.OutputEvent.CallEnd;
import rondo.text.parse.OutputEvent.Content;
import rondo.text.parse.OutputParser;
import rondo.text.parse.OutputParsers;

class OutputStageTest {
    private static HuggingFaceTokenizer tokenizer;

    @BeforeAll
    static void load() {
        tokenizer = HuggingFaceTokenizer.load(Shared.root().resolve("models/glimmer-mini"));
    }

    @AfterAll
    static void close() {
        tokenizer.close();
    }

    private static String content(List<OutputEvent> events) {
        StringBuilder out = new StringBuilder();
        for (OutputEvent event : events) {
            out.append(((Content) event).text());
        }
        return out.toString();
    }

    @Test
    void aToolCallOfTheBundledModelBecomesEvents() {
        ChatTemplate template =
                ChatTemplate.load(Shared.root().resolve("models/glimmer-mini")).orElseThrow();
        OutputParsers parsers = OutputParsers.choose(
                "auto", "auto", tokenizer.addedTokens(), Optional.of(template.source()), "muse_glimmer");
        OutputStage stage = new OutputStage(tokenizer, new StopStrings(List.of(), false), parsers.open(true), true);
        List<OutputEvent> events = new ArrayList<>();
        int[] ids = tokenizer
                .encode(
                        "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}</tool_call>",
                        false,
                        true)
                .toArray();
        for (int id : ids) {
            assertThat(stage.push(id, true, events::add)).isFalse();
        }
        stage.finish(events::add);
        StringBuilder arguments = new StringBuilder();
        events.forEach(e -> arguments.append(e instanceof CallArguments a ? a.fragment() : ""));
        assertThat(events.getFirst()).isEqualTo(new CallBegin(0, "weather"));
        assertThat(events.getLast()).isEqualTo(new CallEnd(0, true));
        assertThat(arguments.toString()).isEqualTo("{\"city\": \"Oslo\"}");
        assertThat(events.size()).isGreaterThan(4);
    }

    @Test
    void theTextEndsBeforeAStopStringAndTheTokenThatCompletesItSaysSo() {
        Seeds.forEach(100, random -> {
            String text = "One, two\n\nUser: three <|x|> four \uD83D\uDE00 five";
            String stop = text.substring(random.nextInt(20), 20 + random.nextInt(1, 10));
            OutputStage stage =
                    new OutputStage(tokenizer, new StopStrings(List.of(stop), false), OutputParser.plain(), true);
            List<OutputEvent> events = new ArrayList<>();
            int[] ids = tokenizer.encode(text, false, false).toArray();
            int at = 0;
            while (!stage.push(ids[at], true, events::add)) {
                at++;
            }
            stage.finish(events::add);
            assertThat(content(events)).isEqualTo(text.substring(0, text.indexOf(stop)));
            assertThat(stage.stopString()).contains(stop);
            int[] before = java.util.Arrays.copyOf(ids, at);
            assertThat(tokenizer.decode(before, true)).doesNotContain(stop);
        });
    }

    @Test
    void withoutAStopTheWholeTextComesOutSpecialTokensHiddenOrShown() {
        int[] ids = tokenizer.encode("a<|eot|>b END", false, true).toArray();
        for (boolean skip : new boolean[] {true, false}) {
            OutputStage stage =
                    new OutputStage(tokenizer, new StopStrings(List.of("ENDING"), false), OutputParser.plain(), skip);
            List<OutputEvent> events = new ArrayList<>();
            for (int id : ids) {
                stage.push(id, true, events::add);
            }
            stage.finish(events::add);
            assertThat(content(events)).isEqualTo(skip ? "ab END" : "a<|eot|>b END");
            assertThat(stage.stopString()).isEmpty();
        }
    }

    @Test
    void aParserOfChannelsGetsItsMarksInOrder() {
        StringBuilder seen = new StringBuilder();
        OutputParser channels = new OutputParser() {
            @Override
            public boolean readsSpecialTokens() {
                return true;
            }

            @Override
            public void text(String text, Consumer<OutputEvent> sink) {
                seen.append(text);
            }

            @Override
            public void special(AddedToken token, boolean shown, Consumer<OutputEvent> sink) {
                seen.append('[').append(token.id()).append(shown).append(']');
            }

            @Override
            public void finish(Consumer<OutputEvent> sink) {
                seen.append('.');
            }
        };
        OutputStage stage = new OutputStage(tokenizer, new StopStrings(List.of("EN DE"), false), channels, true);
        for (int id : tokenizer.encode("so EN<|eot|> DE", false, true).toArray()) {
            assertThat(stage.push(id, true, e -> {})).isFalse();
        }
        stage.finish(e -> {});
        assertThat(seen.toString()).isEqualTo("so EN[4036false] DE.");
    }
}
