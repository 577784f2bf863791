package rondo.text.jinja;

import java.util.List;
import java.util.SplittableRandom;

/** Draws templates of the subset that chat templates use; most of them render, some fail at run time. */
final class RandomTemplate {
    static final String VARIABLES = """
            {"name":"Ada <b> é","empty":"","n":7,"z":0,"neg":-3,"f":2.5,"yes":true,"no":false,"nothing":null,
             "words":["pear","Apple","fig","apple"],"nums":[3,1,2,3],"none":[],
             "messages":[{"role":"user","content":"  hi there\\n"},{"role":"assistant","content":"a\\nb","rank":2},
              {"role":"tool","content":null,"rank":1}],
             "tool":{"name":"f","parameters":{"type":"object","deep":[1,2.0,null,true,"ü\\"<"]}}}""";

    private static final List<String> TEXTS =
            List.of("name", "empty", "'a,b,,c'", "' pad '", "\"it's\"", "words[0]", "messages[0].content", "tool.name");
    private static final List<String> NUMBERS =
            List.of("n", "z", "neg", "f", "nums[1]", "2", "words|length", "loop.index0", "3.0", "missing|default(4)");
    private static final List<String> LISTS = List.of(
            "words", "nums", "none", "messages", "[1,'x',none]", "range(4)|list", "nums[1:]", "words[::-1]", "(1,2)");
    private static final List<String> ANYTHING =
            List.of("yes", "no", "nothing", "missing", "tool", "tool.missing", "messages[-1]", "{'k': [1, 'v']}", "x");
    private static final List<String> TEXT_FILTERS = List.of(
            "trim",
            "upper",
            "lower",
            "title",
            "capitalize",
            "length",
            "replace('a','<>')",
            "string",
            "default('d')",
            "tojson",
            "first",
            "last",
            "list",
            "safe",
            "indent(2)",
            "reverse",
            "default('e', true)",
            "int",
            "float");
    private static final List<String> LIST_FILTERS = List.of(
            "length",
            "join('-')",
            "first",
            "last",
            "list",
            "tojson",
            "tojson(indent=2)",
            "map('string')|list",
            "select|list",
            "reject('none')|list",
            "reverse|list",
            "unique|list",
            "sort|list",
            "string",
            "map(attribute='role')|join(',')",
            "selectattr('rank','defined')|list|length",
            "sum",
            "max",
            "min");
    private static final List<String> METHODS = List.of(
            "strip()",
            "lstrip()",
            "rstrip('\\n')",
            "upper()",
            "split(',')",
            "split()",
            "startswith('a')",
            "endswith(' ')",
            "replace('a','b')",
            "title()",
            "find('a')",
            "count('a')",
            "rsplit(',',1)",
            "join(words)");
    private static final List<String> TESTS = List.of(
            "defined",
            "undefined",
            "none",
            "string",
            "mapping",
            "iterable",
            "sequence",
            "number",
            "boolean",
            "true",
            "false",
            "integer",
            "float",
            "odd",
            "even",
            "in words",
            "eq(7)",
            "divisibleby(2)");
    private static final List<String> TEXT_PIECES =
            List.of("a", " ", "\n", "\n\n", "  ", "<|x|>", "é", "\t", " text \n", "{.", "}", "%", "#");

    private final SplittableRandom random;

    RandomTemplate(SplittableRandom random) {
        this.random = random;
    }

    String draw() {
        return block(3, false);
    }

    private String one(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private String block(int depth, boolean inLoop) {
        StringBuilder out = new StringBuilder();
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
            out.append(statement(depth, inLoop));
        }
        return out.toString();
    }

    private String statement(int depth, boolean inLoop) {
        return switch (random.nextInt(depth > 0 ? 10 : 4)) {
            case 0 -> one(TEXT_PIECES) + one(TEXT_PIECES);
            case 1, 2 ->
                (random.nextInt(4) == 0 ? "{{-" : "{{ ") + expression(3) + (random.nextInt(4) == 0 ? "-}}" : " }}");
            case 3 ->
                inLoop && random.nextInt(4) == 0
                        ? tag("if " + expression(1)) + tag(random.nextBoolean() ? "break" : "continue") + tag("endif")
                        : "{# " + one(TEXT_PIECES) + " #}" + one(TEXT_PIECES);
            case 4 -> tag("set x = " + expression(2));
            case 5 -> tag("set x") + block(depth - 1, inLoop) + tag("endset");
            case 6 ->
                tag("for x in " + one(LISTS) + (random.nextInt(4) == 0 ? " if x" : ""))
                        + "{{ loop.index }}{{ loop.first }}{{ loop.last }}" + block(depth - 1, true)
                        + (random.nextInt(3) == 0 ? tag("else") + block(depth - 1, false) : "") + tag("endfor");
            case 7 ->
                tag("set ns = namespace(v=" + expression(1) + ")") + tag("for i in nums") + tag("set ns.v = i")
                        + block(depth - 1, true) + tag("endfor") + "{{ ns.v }}";
            case 8 ->
                tag("macro m(a, b='d')") + "{{ a }}/{{ b }}" + block(depth - 1, false) + tag("endmacro") + "{{ m("
                        + expression(1) + ") }}";
            default ->
                tag("if " + expression(2))
                        + block(depth - 1, inLoop)
                        + (random.nextBoolean() ? tag("elif " + expression(1)) + block(depth - 1, inLoop) : "")
                        + (random.nextBoolean() ? tag("else") + block(depth - 1, inLoop) : "")
                        + tag("endif");
        };
    }

    /** A statement tag with random white space around it and in its marks. */
    private String tag(String inside) {
        String indent = random.nextInt(3) == 0 ? "\n  " : "";
        String open = random.nextInt(4) == 0 ? "{%-" : "{%";
        String close = random.nextInt(4) == 0 ? "-%}" : "%}";
        return indent + open + " " + inside + " " + close + (random.nextInt(3) == 0 ? "\n" : "");
    }

    private String expression(int depth) {
        if (depth == 0) {
            return switch (random.nextInt(4)) {
                case 0 -> one(TEXTS);
                case 1 -> one(NUMBERS);
                case 2 -> one(LISTS);
                default -> one(ANYTHING);
            };
        }
        return switch (random.nextInt(11)) {
            case 0 -> one(TEXTS) + "|" + one(TEXT_FILTERS);
            case 1 -> one(LISTS) + "|" + one(LIST_FILTERS);
            case 2 -> "(" + one(TEXTS) + ")." + one(METHODS);
            case 3 -> expression(depth - 1) + " is " + (random.nextBoolean() ? "not " : "") + one(TESTS);
            // Powers with whole exponents only: a negative number to a fraction is complex in Python, refused here.
            case 4 ->
                random.nextInt(7) == 0
                        ? one(NUMBERS) + " ** " + one(List.of("2", "0", "3", "neg"))
                        : one(NUMBERS) + " " + one(List.of("+", "-", "*", "/", "//", "%")) + " " + one(NUMBERS);
            case 5 -> "(" + expression(depth - 1) + ") ~ (" + expression(depth - 1) + ")";
            case 6 ->
                "(" + expression(depth - 1) + " if " + expression(depth - 1)
                        + (random.nextBoolean() ? " else " + expression(depth - 1) : "") + ")";
            case 7 ->
                "(" + expression(depth - 1) + ") " + one(List.of("and", "or", "==", "!=", "in", "not in")) + " ("
                        + expression(depth - 1) + ")";
            case 8 -> "not (" + expression(depth - 1) + ")";
            case 9 -> one(TEXTS) + "[" + one(List.of("0", "-1", "1:", ":-1", "::2", "::-1", "1:3", "9:")) + "]";
            default -> expression(0);
        };
    }
}
