package rondo.engine.grammar;

import java.math.BigDecimal;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a schema's numbers, and tells whether a literal fits the other keywords of its schema. */
final class SchemaCheck {
    private final ObjectNode schema;
    private final SchemaStrings strings;
    private final String at;

    SchemaCheck(ObjectNode schema, SchemaStrings strings, String at) {
        this.schema = schema;
        this.strings = strings;
        this.at = at;
    }

    boolean admits(JsonNode value) {
        if (schema.has("const") && !schema.get("const").equals(value)) {
            return false;
        }
        if (schema.has("type") && !typeFits(schema.get("type"), value)) {
            return false;
        }
        if (value.isNumber()) {
            BigDecimal v = value.decimalValue();
            return low(schema, at).stream().allMatch(b -> fits(v.compareTo(b.value()), b))
                    && high(schema, at).stream().allMatch(b -> fits(b.value().compareTo(v), b));
        }
        if (value.isString()) {
            String text = value.stringValue();
            int length = text.codePointCount(0, text.length());
            return length >= count(schema, "minLength", 0, at)
                    && length <= count(schema, "maxLength", Integer.MAX_VALUE, at)
                    && strings.matches(schema, at, text);
        }
        return true;
    }

    private static boolean fits(int compared, SchemaNumbers.Bound bound) {
        return compared > 0 || compared == 0 && bound.inclusive();
    }

    private static boolean typeFits(JsonNode type, JsonNode value) {
        if (type.isArray()) {
            for (JsonNode t : type) {
                if (typeFits(t, value)) {
                    return true;
                }
            }
            return false;
        }
        return switch (type.asString()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isString();
            case "number" -> value.isNumber();
            case "integer" ->
                value.isNumber() && value.decimalValue().stripTrailingZeros().scale() <= 0;
            case "boolean" -> value.isBoolean();
            case "null" -> value.isNull();
            default -> false;
        };
    }

    static List<SchemaNumbers.Bound> low(ObjectNode schema, String at) {
        return bound(schema, "minimum", "exclusiveMinimum", at, 1);
    }

    static List<SchemaNumbers.Bound> high(ObjectNode schema, String at) {
        return bound(schema, "maximum", "exclusiveMaximum", at, -1);
    }

    /** The tighter of the two keywords; draft 4's boolean form of the exclusive one is understood too. */
    private static List<SchemaNumbers.Bound> bound(
            ObjectNode schema, String inclusive, String exclusive, String at, int sign) {
        JsonNode in = schema.path(inclusive);
        JsonNode ex = schema.path(exclusive);
        boolean flag = ex.isBoolean() && ex.booleanValue();
        if (!ex.isMissingNode() && !ex.isBoolean()) {
            BigDecimal value = number(ex, at + "/" + exclusive);
            int compared = in.isMissingNode() ? sign : value.compareTo(number(in, at + "/" + inclusive));
            boolean tighter = sign > 0 ? compared >= 0 : compared <= 0;
            if (tighter) {
                return List.of(new SchemaNumbers.Bound(value, false));
            }
        }
        return in.isMissingNode()
                ? List.of()
                : List.of(new SchemaNumbers.Bound(number(in, at + "/" + inclusive), !flag));
    }

    private static BigDecimal number(JsonNode node, String at) {
        if (!node.isNumber()) {
            throw new UnsupportedGrammar(at, "a bound must be a number");
        }
        BigDecimal value = node.decimalValue();
        if (SchemaNumbers.tooLong(value)) {
            throw new UnsupportedGrammar(at, "the bound has too many digits");
        }
        return value;
    }

    static int count(ObjectNode schema, String name, int absent, String at) {
        JsonNode node = schema.path(name);
        if (node.isMissingNode()) {
            return absent;
        }
        boolean whole =
                node.isNumber() && node.decimalValue().stripTrailingZeros().scale() <= 0;
        if (!whole || node.decimalValue().signum() < 0) {
            throw new UnsupportedGrammar(at + "/" + name, "'" + name + "' must be a whole number of at least 0");
        }
        return node.decimalValue().min(BigDecimal.valueOf(Integer.MAX_VALUE)).intValue();
    }
}
