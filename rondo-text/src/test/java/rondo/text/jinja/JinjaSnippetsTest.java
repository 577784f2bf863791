package rondo.text.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import rondo.base.Shared;
import tools.jackson.databind.JsonNode;

/** Renderings that Python's jinja2 gave, set up as transformers does it. */
class JinjaSnippetsTest {
    private static final LocalDateTime NOW = LocalDateTime.of(2026, 12, 1, 12, 0);

    @Test
    void everySnippetRendersAsInPython() throws IOException {
        JsonNode file = Json.mapper().readTree(Files.readString(Shared.data("templates/jinja-snippets.json")));
        Map<String, JsonNode> variables = variables(file.path("context").path("ctx"));
        List<String> wrong = new ArrayList<>();
        for (JsonNode snippet : file.path("snippets")) {
            check(
                    snippet.path("name").stringValue(),
                    snippet.path("template").stringValue(),
                    variables,
                    snippet,
                    wrong);
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyRealTemplateRendersAsInPython() throws IOException {
        JsonNode file = Json.mapper().readTree(Files.readString(Shared.data("templates/jinja-snippets.json")));
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<String, JsonNode> e : file.path("rendered").properties()) {
            String[] parts = e.getKey().split("/");
            JsonNode config = Json.mapper()
                    .readTree(Files.readString(Shared.data("tokenizers/" + parts[0] + "/tokenizer_config.json")));
            check(
                    e.getKey(),
                    config.path("chat_template").stringValue(),
                    variables(file.path("chats").path(parts[1])),
                    e.getValue(),
                    wrong);
        }
        assertThat(wrong).isEmpty();
    }

    private static Map<String, JsonNode> variables(JsonNode object) {
        Map<String, JsonNode> out = new HashMap<>();
        object.properties().forEach(e -> out.put(e.getKey(), e.getValue()));
        return out;
    }

    private static void check(
            String name, String template, Map<String, JsonNode> variables, JsonNode row, List<String> wrong) {
        boolean ok = row.path("status").stringValue().equals("ok");
        try {
            String got = Template.compile(template)
                    .render(variables, Map.of(), NOW, Limits.DEFAULT)
                    .toString();
            if (!ok) {
                wrong.add(name + ": expected an error, got " + got);
            } else if (!got.equals(row.path("expected").stringValue())) {
                wrong.add(name + ": expected <" + row.path("expected").stringValue() + "> got <" + got + ">");
            }
        } catch (TemplateException e) {
            if (ok) {
                wrong.add(name + ": " + e.getMessage());
            }
        }
    }
}
