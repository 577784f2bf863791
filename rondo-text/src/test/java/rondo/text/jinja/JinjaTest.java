package rondo.text.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;

class JinjaTest {
    private static final LocalDateTime NOW = LocalDateTime.of(2026, 3, 7, 15, 4, 5);

    private static Text render(String template, String json) {
        Map<String, JsonNode> variables = new HashMap<>();
        Json.mapper().readTree(json).properties().forEach(e -> variables.put(e.getKey(), e.getValue()));
        return Template.compile(template).render(variables, Map.of("bos_token", "<s>"), NOW, Limits.DEFAULT);
    }

    private static String render(String template) {
        return render(template, "{}").toString();
    }

    /** The expectations were made with Python's jinja2 3.1.6, set up as transformers does it. */
    @Test
    void ourOwnCasesRenderAsInPython() throws IOException {
        JsonNode file;
        try (InputStream in =
                Objects.requireNonNull(JinjaTest.class.getResourceAsStream("/rondo/text/jinja-cases.json"))) {
            file = Json.mapper().readTree(in);
        }
        Map<String, JsonNode> variables = new HashMap<>();
        file.path("variables").properties().forEach(e -> variables.put(e.getKey(), e.getValue()));
        List<String> wrong = new ArrayList<>();
        for (JsonNode row : file.path("cases")) {
            String template = row.path("template").stringValue();
            boolean ok = row.path("ok").booleanValue();
            try {
                String got = Template.compile(template)
                        .render(variables, Map.of(), NOW, Limits.DEFAULT)
                        .toString();
                if (!ok) {
                    wrong.add(template + "\n  expected an error, got: " + got);
                } else if (!got.equals(row.path("expected").stringValue())) {
                    wrong.add(
                            template + "\n  expected: " + row.path("expected").stringValue() + "\n  got:      " + got);
                }
            } catch (TemplateException e) {
                if (ok) {
                    wrong.add(template + "\n  expected: " + row.path("expected").stringValue() + "\n  got:      "
                            + e.getMessage());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static String foreign(Text text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            out.append(text.isForeign(i, i + 1) ? text.charAt(i) : '_');
        }
        return out.toString();
    }

    @Test
    void whatComesFromOutsideStaysMarkedThroughEveryOperation() {
        String json = "{\"v\": \"ab cd\", \"l\": [\"x\", \"y\"], \"d\": {\"k\": \"w\"}}";
        assertThat(foreign(render("<{{ v }}>", json))).isEqualTo("_ab cd_");
        assertThat(foreign(render("{{ '<' + v ~ '>' }}", json))).isEqualTo("_ab cd_");
        assertThat(foreign(render("{{ ('<' + v)[0:3] }}{{ v[-1] }}", json))).isEqualTo("_abd");
        assertThat(foreign(render("{{ ('-' ~ v).upper() }}", json))).isEqualTo("-AB CD");
        assertThat(foreign(render("{{ v.split() | join('+') }}", json))).isEqualTo("ab_cd");
        assertThat(foreign(render("{{ v | replace(' ', '--') }}", json))).isEqualTo("ab__cd");
        assertThat(foreign(render("{% for c in l %}{{ loop.index }}{{ c }}{% endfor %}", json)))
                .isEqualTo("_x_y");
        assertThat(foreign(render("{% for k in d %}{{ k }}{{ d[k] }}{% endfor %}{{ d | tojson }}", json)))
                .isEqualTo("kw{\"k\": \"w\"}");
        assertThat(foreign(render("{% macro m(x) %}({{ x }}){% endmacro %}{{ m(v) | trim }}", json)))
                .isEqualTo("_ab cd_");
        assertThat(foreign(render("{% set q %}[{{ v }}]{% endset %}{{ q }}{{ '%s!' % v }}", json)))
                .isEqualTo("_ab cd_ab cd_");
        assertThat(foreign(render("{{ '{}!'.format(v) }}{{ l }}{{ bos_token }}", json)))
                .isEqualTo("ab cd_['x', 'y']___");
    }

    @Test
    void errorsNameTheLine() {
        assertThatThrownBy(() -> Template.compile("a\n{{ 1 + }}"))
                .isInstanceOf(TemplateException.class)
                .hasMessage("chat template line 2: unexpected '}}'");
        assertThatThrownBy(() -> render("a\n\n{% if true %}\n{{ x.y }}{% endif %}"))
                .isInstanceOf(TemplateException.class)
                .hasMessage("chat template line 4: 'x' is undefined");
        assertThatThrownBy(() -> Template.compile("{% for x in y %}\n{{ x }}"))
                .hasMessageContaining("expected else or endfor");
        assertThatThrownBy(() -> Template.compile("{% include 'x' %}")).hasMessageContaining("unknown tag 'include'");
    }

    @Test
    void templatesFromStrangersAreBounded() {
        for (String template : List.of(
                "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
                "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
                "{{ 'x' * 999999999 }}",
                "{{ [0] * 999999999 }}",
                "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
                "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] | join %}{% endfor %}",
                "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(60) %}{% set ns.s = ns.s | replace('x', 'xxxxxxxxxx') %}{% endfor %}",
                "{% for i in range(99999) %}{{ '0123456789' * 1000 }}{% endfor %}",
                "{{ 9 ** 99999999 }}",
                "{% set ns = namespace(n=10) %}{% for i in range(60) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
                "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
                "{% set ns = namespace(l=[1]) %}{% for i in range(600) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}",
                "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l | tojson }}",
                "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
                "{{ '%999999999d' % 1 }}",
                "{{ 'x'.ljust(999999999) }}",
                "{{ ('a\\n' * 100000) | indent(10000) }}",
                "{% set ns = namespace(l=[1], m=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% set ns.m = [ns.m, ns.m] %}{% endfor %}{{ ns.l == ns.m }}",
                "{% set ns = namespace(l=(1,)) %}{% for i in range(60) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ {ns.l: 1} }}")) {
            Template compiled = Template.compile(template);
            assertThatThrownBy(() -> compiled.render(Map.of(), Map.of(), NOW, new Limits(8 << 20, 2_000_000, 600)))
                    .as(template)
                    .isInstanceOf(TemplateException.class);
        }
        assertThatThrownBy(() -> Template.compile("{{ " + "(".repeat(100_000) + " }}"))
                .isInstanceOf(TemplateException.class);
        assertThatThrownBy(() -> Template.compile("{% if x %}".repeat(100_000))).isInstanceOf(TemplateException.class);
        assertThatThrownBy(() -> Template.compile("{{ " + "not ".repeat(100) + "-".repeat(100_000) + "1 }}"))
                .isInstanceOf(TemplateException.class);
    }

    @Test
    void datesArePrintedAsAskedFor() {
        assertThat(render("{{ strftime_now('%Y-%m-%d') }} {{ strftime_now('%d %B %Y, %-I:%M %p %a') }}"))
                .isEqualTo("2026-03-07 07 March 2026, 3:04 PM Sat");
    }
}
