package rondo.text.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Json;
import rondo.base.Seeds;
import tools.jackson.databind.JsonNode;

/** Random templates render as Python's jinja2 renders them, set up as transformers does it. */
@Tag("long")
class TemplateFuzzTest {
    private static final LocalDateTime NOW = LocalDateTime.of(2026, 12, 1, 12, 0);
    private static final int TEMPLATES = 300;

    @TempDir
    Path directory;

    @Test
    void randomTemplatesRenderAsInPython() {
        assumeTrue(pythonHasJinja(), "needs python3 with jinja2 (Debian: python3-jinja2)");
        Seeds.forEach(1, random -> {
            RandomTemplate templates = new RandomTemplate(random);
            List<String> drawn = new ArrayList<>();
            for (int i = 0; i < TEMPLATES; i++) {
                drawn.add(templates.draw());
            }
            List<JsonNode> expected = renderedByPython(drawn);
            List<String> wrong = new ArrayList<>();
            int rendered = 0;
            for (int i = 0; i < TEMPLATES; i++) {
                JsonNode python = expected.get(i);
                boolean ok = python.get("ok").booleanValue();
                rendered += ok ? 1 : 0;
                String ours = ours(drawn.get(i));
                String theirs = ok ? "ok: " + python.get("text").stringValue() : "refused";
                if (ok ? !ours.equals(theirs) : ours.startsWith("ok: ")) {
                    wrong.add("template: " + drawn.get(i) + "\n  python: "
                            + (ok ? theirs : python.get("text").stringValue()) + "\n  ours:   " + ours);
                }
            }
            assertThat(rendered).as("templates that render at all").isGreaterThan(TEMPLATES / 4);
            assertThat(wrong).as("%d of %d differ", wrong.size(), TEMPLATES).isEmpty();
        });
    }

    private static String ours(String template) {
        Map<String, JsonNode> variables = new HashMap<>();
        Json.mapper()
                .readTree(RandomTemplate.VARIABLES)
                .properties()
                .forEach(e -> variables.put(e.getKey(), e.getValue()));
        try {
            return "ok: " + Template.compile(template).render(variables, Map.of(), NOW, Limits.DEFAULT);
        } catch (TemplateException e) {
            return "refused: " + e.getMessage();
        }
    }

    private List<JsonNode> renderedByPython(List<String> templates) throws IOException, InterruptedException {
        Path script = directory.resolve("render.py");
        try (InputStream in = Objects.requireNonNull(
                TemplateFuzzTest.class.getResourceAsStream("/rondo/text/render-as-transformers.py"))) {
            Files.copy(in, script);
        }
        JsonNode variables = Json.mapper().readTree(RandomTemplate.VARIABLES);
        StringBuilder lines = new StringBuilder();
        for (String template : templates) {
            lines.append(Json.mapper().writeValueAsString(Map.of("template", template, "variables", variables)))
                    .append('\n');
        }
        Path input = Files.writeString(directory.resolve("in.jsonl"), lines);
        Path output = directory.resolve("out.jsonl");
        Process python = new ProcessBuilder("python3", "-X", "utf8", script.toString())
                .redirectInput(input.toFile())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (!python.waitFor(60, TimeUnit.SECONDS)) {
            python.destroyForcibly();
            throw new AssertionError("python did not end within 60 s");
        }
        List<JsonNode> rows = new ArrayList<>();
        for (String line : Files.readAllLines(output, StandardCharsets.UTF_8)) {
            rows.add(Json.mapper().readTree(line));
        }
        assertThat(rows).hasSameSizeAs(templates);
        return rows;
    }

    private static boolean pythonHasJinja() {
        try {
            Process python = new ProcessBuilder("python3", "-c", "import jinja2")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return python.waitFor(20, TimeUnit.SECONDS) && python.exitValue() == 0;
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }
}
