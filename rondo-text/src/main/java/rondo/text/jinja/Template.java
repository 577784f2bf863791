package rondo.text.jinja;

import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A compiled template. Immutable and thread-safe; every rendering has its own state and limits. */
public final class Template {
    private final List<Stmt> program;

    private Template(List<Stmt> program) {
        this.program = program;
    }

    /** Compiles; a {@link TemplateException} names the line of what is wrong. */
    public static Template compile(String source) {
        return new Template(Parser.parse(source));
    }

    /**
     * Renders.
     *
     * @param variables values by name; their strings are foreign text
     * @param own       strings that count as the template's own (the names of special tokens, say)
     * @param now       what {@code strftime_now} prints
     */
    public Text render(Map<String, JsonNode> variables, Map<String, String> own, LocalDateTime now, Limits limits) {
        Map<String, Object> values = new HashMap<>();
        values.put("strftime_now", (Function) (in, arguments) -> Text.own(Clocks.strftime(
                arguments.bind("strftime_now", 1, "format").text(0).toString(), now)));
        own.forEach((name, value) -> values.put(name, Text.own(value)));
        variables.forEach((name, value) -> values.put(name, Values.of(value)));
        return new Interpreter(limits).render(program, values);
    }
}
