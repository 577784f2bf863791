package rondo.text.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.Seeds;
import rondo.text.Tokenizer.AddedToken;
import rondo.text.parse.OutputEvent.CallArguments;
import rondo.text.parse.OutputEvent.CallBegin;
import rondo.text.parse.OutputEvent.CallEnd;
import rondo.text.parse.OutputEvent.Content;
import rondo.text.parse.OutputEvent.Reasoning;

/** Reasoning is told from the answer, however the text is cut. */
class ThinkParserTest {
    private static final String CALL = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>";
    private static final OutputParsers QWEN3 = new OutputParsers("hermes", "qwen3", "");
    private static final OutputParsers DEEPSEEK = new OutputParsers("none", "deepseek_r1", "");

    /** What came out, as three texts. */
    private static final class Seen {
        final StringBuilder reasoning = new StringBuilder();
        final StringBuilder content = new StringBuilder();
        final StringBuilder calls = new StringBuilder();

        void add(OutputEvent event) {
            switch (event) {
                case Content c -> content.append(c.text());
                case Reasoning r -> reasoning.append(r.text());
                case CallBegin b -> calls.append(b.name()).append(' ');
                case CallArguments a -> calls.append(a.fragment());
                case CallEnd e -> calls.append(e.complete() ? "." : "!");
            }
        }

        List<String> all() {
            return List.of(reasoning.toString(), content.toString(), calls.toString());
        }
    }

    private static List<String> read(OutputParser parser, List<String> pieces) {
        Seen seen = new Seen();
        pieces.forEach(piece -> parser.text(piece, seen::add));
        parser.finish(seen::add);
        return seen.all();
    }

    private static List<String> read(ReasoningStart start, String text) {
        return read(QWEN3.open(true, start), List.of(text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            OPEN   | <think>why</think>so                   | why          | so
            OPEN   | ' <think>\\n why \\n</think>\\n\\nso'  | why          | so
            OPEN   | so                                     | ''           | so
            OPEN   | a <think>b</think>                     | ''           | a <think>b</think>
            OPEN   | <thin>x                                | ''           | <thin>x
            OPEN   | <think></think>so                      | ''           | so
            OPEN   | <think>a</think>b</think>c             | a            | b</think>c
            OPEN   | <think>a <</think>b                    | a <          | b
            OPEN   | <think>a </thin k></think>b            | a </thin k>  | b
            OPEN   | <think>cut                             | cut          | ''
            OPEN   | <think>cut</thi                        | cut</thi     | ''
            INSIDE | why</think>so                          | why          | so
            INSIDE | <think>why</think>so                   | why          | so
            INSIDE | </think>so                             | ''           | so
            INSIDE | <why                                   | <why         | ''
            INSIDE | <thi                                   | <thi         | ''
            ANSWER | <think>a</think>                       | ''           | <think>a</think>
            """)
    void theFirstBlockIsTheReasoning(ReasoningStart start, String text, String reasoning, String content) {
        String written = text.replace("\\n", "\n");
        assertThat(read(start, written)).containsExactly(reasoning, content, "");
        assertThat(read(
                        QWEN3.open(true, start),
                        written.chars().mapToObj(Character::toString).toList()))
                .containsExactly(reasoning, content, "");
    }

    /** R062. */
    @Test
    void callsAreFoundBeforeInsideAndAfterReasoning() {
        assertThat(read(ReasoningStart.OPEN, CALL)).containsExactly("", "", "f {\"a\": 1}.");
        assertThat(read(ReasoningStart.OPEN, "<think>why</think>\n" + CALL))
                .containsExactly("why", "", "f {\"a\": 1}.");
        assertThat(read(ReasoningStart.OPEN, "<think>why\n" + CALL)).containsExactly("why", "", "f {\"a\": 1}.");
        assertThat(read(ReasoningStart.INSIDE, "why\n" + CALL + "\n</think>so"))
                .containsExactly("why", "so", "f {\"a\": 1}.");
    }

    /** R084: wherever an answer is cut, no thought becomes content, and nothing that came out is taken back. */
    @Test
    void cutAnywhereNoThoughtBecomesContent() {
        String text = "<think>\nfirst < that, then </b> this\n</think>\n\nthe answer";
        for (int cut = 0; cut <= text.length(); cut++) {
            List<String> got = read(ReasoningStart.OPEN, text.substring(0, cut));
            if (cut > "<think>".length()) {
                assertThat("first < that, then </b> this\n</think>")
                        .as("cut at %d", cut)
                        .startsWith(got.get(0));
            }
            if (cut >= "<think>".length() && cut <= text.indexOf("the answer")) {
                assertThat(got.get(1)).as("cut at %d", cut).isEmpty();
            }
        }
    }

    @Test
    void anyCutOfTheTextGivesTheSameParts() {
        List<String> parts = List.of(
                "<think>", "</think>", "<", "</", "think", ">", " ", "\n", "word", CALL, "<tool_call>", "{", "}", "é");
        Seeds.forEach(2_000, random -> {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(9); i >= 0; i--) {
                text.append(parts.get(random.nextInt(parts.size())));
            }
            ReasoningStart start = ReasoningStart.values()[random.nextInt(3)];
            List<String> pieces = new ArrayList<>();
            for (int at = 0; at < text.length(); ) {
                int to = Math.min(text.length(), at + 1 + random.nextInt(12));
                pieces.add(text.substring(at, to));
                at = to;
            }
            assertThat(read(QWEN3.open(true, start), pieces))
                    .as("%s %s", start, pieces)
                    .isEqualTo(read(start, text.toString()));
        });
    }

    @Test
    void tagsThatAreSpecialTokensAreReadUnseen() {
        OutputParser parser = QWEN3.open(false, ReasoningStart.OPEN);
        Seen seen = new Seen();
        assertThat(parser.readsSpecialTokens()).isTrue();
        parser.special(new AddedToken(7, "<think>", true), false, seen::add);
        assertThat(parser.inReasoning()).isTrue();
        parser.text("why", seen::add);
        parser.special(new AddedToken(9, "<|other|>", true), false, seen::add);
        parser.special(new AddedToken(8, "</think>", true), false, seen::add);
        assertThat(parser.inReasoning()).isFalse();
        parser.text("so", seen::add);
        parser.finish(seen::add);
        assertThat(seen.all()).containsExactly("why", "so", "");
    }

    /** R085: what users write before the assistant's turn does not count. */
    @ParameterizedTest
    @ValueSource(strings = {"user: what does </think> mean?\nassistant: ", "user: <think>\nassistant:"})
    void onlyTheEndOfThePromptDecidesWhereAnAnswerBegins(String tail) {
        assertThat(QWEN3.startOf(tail)).isEqualTo(ReasoningStart.OPEN);
        assertThat(QWEN3.startOf(tail + "<think>\n")).isEqualTo(ReasoningStart.INSIDE);
        assertThat(QWEN3.startOf(tail + "<think>\n\n</think>\n\n")).isEqualTo(ReasoningStart.ANSWER);
        assertThat(DEEPSEEK.startOf(tail)).isEqualTo(ReasoningStart.INSIDE);
        assertThat(DEEPSEEK.startOf(tail + "</think>")).isEqualTo(ReasoningStart.ANSWER);
        assertThat(new OutputParsers("hermes", "none", "").startOf(tail + "<think>"))
                .isEqualTo(ReasoningStart.ANSWER);
    }

    @Test
    void thinkingCheckpointsGetTheParserByThemselves() {
        List<AddedToken> tags = List.of(new AddedToken(1, "<tool_call>", false));
        assertThat(OutputParsers.choose("auto", "auto", tags, Optional.of("{{ '<think>' }}"), "qwen3")
                        .reasoning())
                .isEqualTo("qwen3");
        assertThat(OutputParsers.choose("auto", "auto", tags, Optional.of("none here"), "muse_glimmer")
                        .reasoning())
                .isEqualTo("none");
        assertThat(OutputParsers.choose("auto", "none", tags, Optional.of("<think>"), "qwen3")
                        .readsReasoning())
                .isFalse();
    }
}
