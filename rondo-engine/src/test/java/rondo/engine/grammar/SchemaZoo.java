package rondo.engine.grammar;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Two hundred schemas: those written by hand, grids of numeric bounds, wide ones, and random nested ones. */
final class SchemaZoo {
    private static final String[] BOUNDS = {
        "-1000", "-99.5", "-1", "-0.25", "0", "0.001", "1", "7", "9.99", "10", "123456"
    };

    private SchemaZoo() {}

    static List<String> all() {
        List<String> found = new ArrayList<>(written());
        bounds(found, "integer");
        bounds(found, "number");
        found.add(wide(100, 100));
        found.add(wide(300, 0));
        found.add(wide(60, 20));
        found.add(nested(40));
        found.add("{\"enum\":[\"the first\"" + manyNames(500) + "]}");
        SplittableRandom random = new SplittableRandom(7);
        while (found.size() < 200) {
            found.add(random(random, 3));
        }
        return found;
    }

    private static List<String> written() {
        try (InputStream in = SchemaZoo.class.getResourceAsStream("schemas.jsonl")) {
            if (in == null) {
                throw new IllegalStateException("schemas.jsonl is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void bounds(List<String> found, String type) {
        for (int i = 0; i + 1 < BOUNDS.length; i++) {
            found.add("{\"type\":\"" + type + "\",\"minimum\":" + BOUNDS[i] + "}");
            found.add("{\"type\":\"" + type + "\",\"exclusiveMaximum\":" + BOUNDS[i] + "}");
            int j = Math.min(BOUNDS.length - 1, i + 1 + i % 4);
            boolean none = type.equals("integer") && BOUNDS[i].equals("0") && BOUNDS[j].equals("0.001");
            found.add("{\"type\":\"" + type + "\",\"exclusiveMinimum\":" + BOUNDS[i] + ",\"maximum\":"
                    + (none ? "1" : BOUNDS[j]) + "}");
        }
    }

    private static String wide(int properties, int required) {
        StringBuilder out = new StringBuilder("{\"type\":\"object\",\"properties\":{");
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < properties; i++) {
            out.append(i == 0 ? "" : ",")
                    .append("\"property_")
                    .append(i)
                    .append("\":{\"type\":\"integer\",\"maximum\":9}");
            if (i < required) {
                names.append(i == 0 ? "" : ",").append("\"property_").append(i).append('"');
            }
        }
        return out.append("},\"required\":[").append(names).append("]}").toString();
    }

    private static String nested(int depth) {
        return "{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":".repeat(depth) + "{\"type\":\"null\"}"
                + "}".repeat(depth);
    }

    private static String manyNames(int count) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < count; i++) {
            out.append(",\"name ").append(i * 7919 % 1000).append(' ').append(i).append('"');
        }
        return out.toString();
    }

    private static String random(SplittableRandom random, int depth) {
        return switch (random.nextInt(depth > 0 ? 9 : 6)) {
            case 0 -> "{\"type\":\"string\",\"maxLength\":" + random.nextInt(30) + "}";
            case 1 -> "{\"type\":\"integer\",\"minimum\":" + random.nextInt(-50, 50) + "}";
            case 2 -> "{\"enum\":[\"p\",\"q\"," + random.nextInt(10) + "]}";
            case 3 -> "{\"type\":[\"boolean\",\"null\"]}";
            case 4 -> "{\"type\":\"number\",\"minimum\":-1.5,\"maximum\":" + random.nextInt(5) + ".25}";
            case 5 -> "{\"type\":\"string\",\"pattern\":\"^[a-c]{" + random.nextInt(1, 4) + ",20}é?$\"}";
            case 6 ->
                "{\"type\":\"array\",\"items\":" + random(random, depth - 1) + ",\"minItems\":" + random.nextInt(3)
                        + ",\"maxItems\":" + random.nextInt(3, 6) + "}";
            case 7 -> "{\"anyOf\":[" + random(random, depth - 1) + "," + random(random, depth - 1) + "]}";
            default -> object(random, depth);
        };
    }

    private static String object(SplittableRandom random, int depth) {
        StringBuilder out = new StringBuilder("{\"type\":\"object\",\"properties\":{");
        StringBuilder required = new StringBuilder();
        int count = random.nextInt(1, 6);
        for (int i = 0; i < count; i++) {
            out.append(i == 0 ? "" : ",").append("\"k").append(i).append("\":").append(random(random, depth - 1));
            if (random.nextBoolean()) {
                required.append(required.isEmpty() ? "" : ",")
                        .append("\"k")
                        .append(i)
                        .append('"');
            }
        }
        return out.append("},\"required\":[").append(required).append("]}").toString();
    }
}
