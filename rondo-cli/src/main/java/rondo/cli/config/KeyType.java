package rondo.cli.config;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The type of a key: what it accepts, and how it says what it wants. */
sealed interface KeyType {
    /** The checked value. */
    Value check(YamlNode node) throws Mismatch;

    /** For the documentation. */
    String describe();

    /** A value that a type does not accept. */
    final class Mismatch extends Exception {
        private static final long serialVersionUID = 1;

        private final String suffix;
        private final String expected;
        private final transient YamlNode got;

        Mismatch(String suffix, String expected, YamlNode got) {
            super(expected, null, false, false);
            this.suffix = suffix;
            this.expected = expected;
            this.got = got;
        }

        /** Behind the key's path: the index of a list's item, or nothing. */
        String suffix() {
            return suffix;
        }

        String expected() {
            return expected;
        }

        YamlNode got() {
            return got;
        }
    }

    private static YamlNode.Scalar scalar(YamlNode node, String expected) throws Mismatch {
        if (node instanceof YamlNode.Scalar s) {
            return s;
        }
        throw new Mismatch("", expected, node);
    }

    private static boolean bare(YamlNode.Scalar s) {
        return s.style() != YamlNode.Style.QUOTED;
    }

    record Bool() implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            YamlNode.Scalar s = scalar(node, "true or false");
            if (!bare(s) || !Scalars.isBool(s.text())) {
                throw new Mismatch("", "true or false", node);
            }
            return new Value.Bool(s.text().equalsIgnoreCase("true"));
        }

        @Override
        public String describe() {
            return "bool";
        }
    }

    /** {@code true}, {@code false} or {@code auto}. */
    record BoolOrAuto() implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            YamlNode.Scalar s = scalar(node, "true, false or auto");
            if (s.text().equals("auto")) {
                return new Value.Text("auto");
            }
            if (!bare(s) || !Scalars.isBool(s.text())) {
                throw new Mismatch("", "true, false or auto", node);
            }
            return new Value.Bool(s.text().equalsIgnoreCase("true"));
        }

        @Override
        public String describe() {
            return "bool or auto";
        }
    }

    record Int(Range range) implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            YamlNode.Scalar s = scalar(node, "an integer");
            if (!bare(s) || !Scalars.isInteger(s.text())) {
                throw new Mismatch("", "an integer", node);
            }
            OptionalLong value = Scalars.integer(s.text());
            if (value.isEmpty() || value.getAsLong() > Integer.MAX_VALUE || value.getAsLong() < Integer.MIN_VALUE) {
                boolean low = s.text().startsWith("-");
                throw new Mismatch("", low ? range.expected(-Double.MAX_VALUE) : "<= " + Integer.MAX_VALUE, node);
            }
            if (!range.holds(value.getAsLong())) {
                throw new Mismatch("", range.expected(value.getAsLong()), node);
            }
            return new Value.Int(value.getAsLong());
        }

        @Override
        public String describe() {
            return ("int " + range.describe()).strip();
        }
    }

    record Real(Range range) implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            YamlNode.Scalar s = scalar(node, "a number");
            if (!bare(s) || !Scalars.isNumber(s.text())) {
                throw new Mismatch("", "a number", node);
            }
            double value = Scalars.real(s.text());
            if (!Double.isFinite(value) || !range.holds(value)) {
                throw new Mismatch("", range.isOpen() ? "a finite number" : range.expected(value), node);
            }
            return new Value.Real(value);
        }

        @Override
        public String describe() {
            return ("float " + range.describe()).strip();
        }
    }

    record Bytes(Range range) implements KeyType {
        private static final String EXPECTED = "a number of bytes (an integer, or like '160GiB')";

        @Override
        public Value check(YamlNode node) throws Mismatch {
            YamlNode.Scalar s = scalar(node, EXPECTED);
            OptionalLong value =
                    bare(s) && Scalars.isInteger(s.text()) ? Scalars.integer(s.text()) : Scalars.size(s.text());
            if (value.isEmpty()) {
                throw new Mismatch("", EXPECTED, node);
            }
            if (!range.holds(value.getAsLong())) {
                throw new Mismatch("", range.expected(value.getAsLong()), node);
            }
            return new Value.Bytes(value.getAsLong());
        }

        @Override
        public String describe() {
            return "bytes";
        }
    }

    /** A power of two from {@code low} to {@code high}. */
    record PowerOfTwo(int low, int high) implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            YamlNode.Scalar s = scalar(node, "an integer");
            if (!bare(s) || !Scalars.isInteger(s.text())) {
                throw new Mismatch("", "an integer", node);
            }
            long value = Scalars.integer(s.text()).orElse(-1);
            if (value < low || value > high || Long.bitCount(value) != 1) {
                throw new Mismatch("", "a power of two from " + low + " to " + high, node);
            }
            return new Value.Int(value);
        }

        @Override
        public String describe() {
            return "power of two, " + low + " to " + high;
        }
    }

    record Text() implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            YamlNode.Scalar s = scalar(node, "a string");
            if (!s.isText()) {
                throw new Mismatch("", "a string", node);
            }
            return new Value.Text(s.text());
        }

        @Override
        public String describe() {
            return "string";
        }
    }

    /** A day, {@code YYYY-MM-DD}. */
    record Day() implements KeyType {
        private static final String EXPECTED = "a date like 2026-12-31";

        @Override
        public Value check(YamlNode node) throws Mismatch {
            try {
                return new Value.Date(LocalDate.parse(scalar(node, EXPECTED).text()));
            } catch (DateTimeException e) {
                throw new Mismatch("", EXPECTED, node);
            }
        }

        @Override
        public String describe() {
            return "date";
        }
    }

    record OneOf(List<String> words) implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            String expected = words.size() == 1 ? words.getFirst() : "one of " + String.join(", ", words);
            YamlNode.Scalar s = scalar(node, expected);
            if (!words.contains(s.text())) {
                throw new Mismatch("", expected, node);
            }
            return new Value.Text(s.text());
        }

        @Override
        public String describe() {
            return String.join(", ", words);
        }
    }

    record ListOf(KeyType item) implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            if (!(node instanceof YamlNode.Sequence s)) {
                throw new Mismatch("", "a list", node);
            }
            List<Value> values = new ArrayList<>();
            for (YamlNode each : s.items()) {
                try {
                    values.add(item.check(each));
                } catch (Mismatch e) {
                    throw new Mismatch("[" + values.size() + "]" + e.suffix(), e.expected(), e.got());
                }
            }
            return new Value.Items(List.copyOf(values));
        }

        @Override
        public String describe() {
            return "list of " + item.describe();
        }
    }

    /** A mapping: a group of keys where the table names some, else one that Rondo does not look into. */
    record Group() implements KeyType {
        @Override
        public Value check(YamlNode node) throws Mismatch {
            if (!(node instanceof YamlNode.Mapping)) {
                throw new Mismatch("", "a mapping", node);
            }
            return new Value.Opaque(node.flow());
        }

        @Override
        public String describe() {
            return "mapping";
        }
    }

    record Anything() implements KeyType {
        @Override
        public Value check(YamlNode node) {
            return switch (node) {
                case YamlNode.Scalar s
                when !s.isText() || Scalars.isBool(s.text()) || Scalars.isNumber(s.text()) ->
                    new Value.Opaque(s.text());
                case YamlNode.Scalar s -> new Value.Text(s.text());
                case YamlNode other -> new Value.Opaque(other.flow());
            };
        }

        @Override
        public String describe() {
            return "any";
        }
    }
}
