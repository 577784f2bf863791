package rondo.cli.config;

import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;

/** A checked value of a setting. */
sealed interface Value {
    /** As YAML would write it. */
    String yaml();

    /** No value: the key says {@code null}. */
    record NotSet() implements Value {
        @Override
        public String yaml() {
            return "null";
        }
    }

    record Bool(boolean on) implements Value {
        @Override
        public String yaml() {
            return Boolean.toString(on);
        }
    }

    record Int(long number) implements Value {
        @Override
        public String yaml() {
            return Long.toString(number);
        }
    }

    record Bytes(long number) implements Value {
        @Override
        public String yaml() {
            return Scalars.showSize(number);
        }
    }

    record Real(double number) implements Value {
        @Override
        public String yaml() {
            return number == Math.rint(number) && Math.abs(number) < 1e15
                    ? Long.toString((long) number)
                    : Double.toString(number);
        }
    }

    record Text(String text) implements Value {
        @Override
        public String yaml() {
            return Scalars.plain(text);
        }
    }

    record Date(LocalDate day) implements Value {
        @Override
        public String yaml() {
            return Scalars.quote(day.toString());
        }
    }

    record Items(List<Value> items) implements Value {
        @Override
        public String yaml() {
            return items.stream().map(Value::yaml).collect(Collectors.joining(", ", "[", "]"));
        }
    }

    /** Something that Rondo does not look into. */
    record Opaque(String yaml) implements Value {}
}
