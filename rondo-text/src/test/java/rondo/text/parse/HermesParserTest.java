package rondo.text.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import rondo.base.Seeds;
import rondo.base.UserError;
import rondo.text.Tokenizer.AddedToken;
import rondo.text.parse.OutputEvent.CallArguments;
import rondo.text.parse.OutputEvent.CallBegin;
import rondo.text.parse.OutputEvent.CallEnd;
import rondo.text.parse.OutputEvent.Content;

class HermesParserTest {
    /** What came out: content, and calls as name + arguments (+ "!" when incomplete). */
    private record Answer(String content, List<String> calls, int events) {}

    private static Answer parse(String text, SplittableRandom random, int largest) {
        HermesParser parser = new HermesParser();
        List<OutputEvent> events = new ArrayList<>();
        for (int at = 0; at < text.length(); ) {
            int next = Math.min(text.length(), at + random.nextInt(1, largest + 1));
            parser.text(text.substring(at, next), events::add);
            at = next;
        }
        parser.finish(events::add);
        return collect(events);
    }

    private static Answer collect(List<OutputEvent> events) {
        StringBuilder content = new StringBuilder();
        List<String> calls = new ArrayList<>();
        int open = -1;
        for (OutputEvent event : events) {
            switch (event) {
                case Content c -> {
                    assertThat(open).as("content inside a call").isEqualTo(-1);
                    assertThat(c.text()).isNotEmpty();
                    content.append(c.text());
                }
                case CallBegin b -> {
                    assertThat(open).isEqualTo(-1);
                    assertThat(b.index()).isEqualTo(calls.size());
                    open = b.index();
                    calls.add(b.name() + " ");
                }
                case CallArguments a -> {
                    assertThat(a.index()).isEqualTo(open);
                    assertThat(a.fragment()).isNotEmpty();
                    calls.set(open, calls.get(open) + a.fragment());
                }
                case CallEnd e -> {
                    assertThat(e.index()).isEqualTo(open);
                    calls.set(open, calls.get(open) + (e.complete() ? "" : "!"));
                    open = -1;
                }
                case OutputEvent.Reasoning r -> throw new AssertionError("no reasoning here");
            }
        }
        assertThat(open).as("every call ends").isEqualTo(-1);
        return new Answer(content.toString(), calls, events.size());
    }

    private static Answer parse(String text) {
        Answer whole = parse(text, new SplittableRandom(1), text.length());
        Answer single = parse(text, new SplittableRandom(1), 1);
        assertThat(single.content()).isEqualTo(whole.content());
        assertThat(single.calls()).isEqualTo(whole.calls());
        return whole;
    }

    @Test
    void callsThatFollowEachOtherAreTakenApart() {
        Answer answer =
                parse("Let me see.<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": [2]}}</tool_call>"
                        + "<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>");
        assertThat(answer.content()).isEqualTo("Let me see.");
        assertThat(answer.calls()).containsExactly("add {\"a\": 1, \"b\": [2]}", "now {}");
    }

    @Test
    void whiteSpaceAroundCallsIsNotContent() {
        Answer answer = parse("\n\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": \"\\n\"}}\n</tool_call>\n"
                + "<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>\n");
        assertThat(answer.content()).isEmpty();
        assertThat(answer.calls()).containsExactly("f {\"x\": \"\\n\"}", "g {}");
        assertThat(parse(" a \n b \n").content()).isEqualTo(" a \n b \n");
    }

    @Test
    void aClosingTagInsideAStringIsText() {
        Answer answer =
                parse("<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": \"a</tool_call>\\\"}b\"}}</tool_call> done");
        assertThat(answer.calls()).containsExactly("f {\"x\": \"a</tool_call>\\\"}b\"}");
        assertThat(answer.content()).isEqualTo(" done");
    }

    @Test
    void aCallThatBreaksBeforeItsNameIsPassedOnAsText() {
        for (String text : List.of(
                "<tool_call>not json</tool_call>",
                "<tool_call>{\"name\": 5, \"arguments\": {}}</tool_call>",
                "<tool_call>{\"nam",
                "<tool_call>",
                "<tool_ca",
                "a <tool_call> in prose, <b>bold</b> </tool_call>",
                "<tool_call>{\"arguments\": {\"a\": tru}}")) {
            Answer answer = parse(text);
            assertThat(answer.content()).isEqualTo(text);
            assertThat(answer.calls()).isEmpty();
        }
    }

    @Test
    void aCallAfterABrokenOneIsStillFound() {
        Answer answer = parse("<tool_call>oops <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>");
        assertThat(answer.content()).isEqualTo("<tool_call>oops");
        assertThat(answer.calls()).containsExactly("f {}");
    }

    @Test
    void argumentsThatAreNoJsonArePassedOnAsTheyAre() {
        assertThat(parse("<tool_call>{\"name\": \"f\", \"arguments\": {city: Rome}}</tool_call>ok"))
                .satisfies(a -> assertThat(a.calls()).containsExactly("f {city: Rome}!"))
                .satisfies(a -> assertThat(a.content()).isEqualTo("ok"));
        assertThat(parse("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1")
                        .calls())
                .containsExactly("f {\"a\": 1!");
    }

    @Test
    void aMissingEndOfTheCallDoesNotSpoilIt() {
        assertThat(parse("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}</tool_call>x"))
                .satisfies(a -> assertThat(a.calls()).containsExactly("f {\"a\": 1}"))
                .satisfies(a -> assertThat(a.content()).isEqualTo("x"));
        assertThat(parse("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}")
                        .calls())
                .containsExactly("f {\"a\": 1}");
        assertThat(parse("<tool_call>{\"name\":\"f\",\"arguments\":{}}<tool_call>{\"name\":\"g\",\"arguments\":{}}")
                        .calls())
                .containsExactly("f {}", "g {}");
    }

    @Test
    void argumentsMayComeFirstBeMissingOrBeAString() {
        assertThat(parse("<tool_call>{\"arguments\": {\"a\": 1}, \"name\": \"f\"}</tool_call>")
                        .calls())
                .containsExactly("f {\"a\": 1}");
        assertThat(parse("<tool_call>{\"name\": \"f\"}</tool_call>").calls()).containsExactly("f {}");
        assertThat(parse("<tool_call>{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": 1}\"}</tool_call>")
                        .calls())
                .containsExactly("f {\"a\": 1}");
        assertThat(parse("<tool_call>{\"id\": [1, {}], \"name\": \"f\", \"parameters\": 12}</tool_call>")
                        .calls())
                .containsExactly("f 12");
    }

    @Test
    void argumentsStreamAsTheyCome() {
        HermesParser parser = new HermesParser();
        List<OutputEvent> events = new ArrayList<>();
        parser.text("<tool_call>{\"name\": \"f\", \"arguments\": {", events::add);
        parser.text("\"city\": \"", events::add);
        parser.text("\"", events::add);
        assertThat(events)
                .containsExactly(
                        new CallBegin(0, "f"),
                        new CallArguments(0, "{"),
                        new CallArguments(0, "\"city\": \""),
                        new CallArguments(0, "\""));
    }

    /** R059: no way of cutting the text changes what is parsed. */
    @Test
    void randomCallsComeOutAsTheyWereWrittenHoweverTheTextIsCut() {
        Seeds.forEach(300, random -> {
            StringBuilder text = new StringBuilder();
            List<String> expected = new ArrayList<>();
            String lead = random.nextBoolean() ? "Text < with <tool_cal> marks" : "";
            text.append(lead);
            for (int n = random.nextInt(1, 4); n > 0; n--) {
                String json = "{\"v\": " + value(random, 3) + "}";
                text.append("<tool_call>{\"name\": \"fn\", \"arguments\": ")
                        .append(json)
                        .append("}</tool_call>");
                expected.add("fn " + json);
            }
            Answer answer = parse(text.toString(), random, 9);
            assertThat(answer.content()).isEqualTo(lead);
            assertThat(answer.calls()).isEqualTo(expected);
        });
    }

    @Test
    void nothingIsLostOfTextFullOfMarks() {
        String[] parts = {
            "<tool_call>", "</tool_call>", "{", "}", "\"name\"", ":", "\"f\"", ",", "x", " ", "<", "arguments"
        };
        Seeds.forEach(500, random -> {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(40); n > 0; n--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            Answer a = parse(text.toString(), random, 5);
            Answer b = parse(text.toString(), random, 1);
            assertThat(a.content()).isEqualTo(b.content());
            assertThat(a.calls()).isEqualTo(b.calls());
            if (a.calls().isEmpty()) {
                assertThat(a.content()).isEqualTo(text.toString());
            }
        });
    }

    private static String value(SplittableRandom random, int depth) {
        String space = " ".repeat(random.nextInt(2));
        return switch (random.nextInt(depth > 0 ? 7 : 5)) {
            case 0 -> Json.mapper().writeValueAsString("</tool_call>\"\\ü\n".substring(random.nextInt(14)));
            case 1 -> "-12.5e3";
            case 2 -> "true";
            case 3 -> "null";
            case 4 -> "\"\"";
            case 5 -> "[" + space + value(random, depth - 1) + "," + space + value(random, depth - 1) + "]";
            default -> "{\"k\":" + space + value(random, depth - 1) + ", \"l\": {}" + space + "}";
        };
    }

    @Test
    void theParserIsChosenFromAddedTokensTemplateOrModelType() {
        List<AddedToken> tags = List.of(new AddedToken(1, "<tool_call>", false));
        assertThat(OutputParsers.choose("auto", "auto", tags, Optional.of(""), "muse_glimmer"))
                .isEqualTo(new OutputParsers("hermes", "none", "added token <tool_call>, no <think>"));
        assertThat(OutputParsers.choose("auto", "auto", List.of(), Optional.empty(), "other")
                        .tools())
                .isEqualTo("none");
        assertThatThrownBy(() -> OutputParsers.choose("hermess", "auto", tags, Optional.empty(), ""))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("tool_parser must be one of")
                .hasMessageContaining("got 'hermess'");
        assertThat(new OutputParsers("hermes", "none", "").open(false, ReasoningStart.ANSWER))
                .isNotInstanceOf(HermesParser.class);
    }
}
