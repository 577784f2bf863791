package rondo.cli.config;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** All active keys with their effective values, in the table's order. */
final class Settings {
    private final Map<String, Setting> byPath;

    Settings(Collection<Setting> settings) {
        byPath = new LinkedHashMap<>();
        settings.forEach(s -> byPath.put(s.path(), s));
    }

    List<Setting> all() {
        return List.copyOf(byPath.values());
    }

    Setting get(String path) {
        Setting setting = byPath.get(path);
        if (setting == null) {
            throw new IllegalArgumentException(path + " is no active key");
        }
        return setting;
    }

    /** The same settings with one value from another place. */
    Settings with(String path, Value value, Origin origin) {
        List<Setting> out = new ArrayList<>(all());
        out.replaceAll(s -> s.path().equals(path) ? new Setting(s.key(), value, origin) : s);
        return new Settings(out);
    }

    boolean bool(String path) {
        return ((Value.Bool) get(path).value()).on();
    }

    Optional<Boolean> optionalBool(String path) {
        return get(path).value() instanceof Value.Bool b ? Optional.of(b.on()) : Optional.empty();
    }

    int integer(String path) {
        return optionalInt(path).orElseThrow();
    }

    OptionalInt optionalInt(String path) {
        return get(path).value() instanceof Value.Int i
                ? OptionalInt.of(Math.toIntExact(i.number()))
                : OptionalInt.empty();
    }

    long bytes(String path) {
        return optionalBytes(path).orElseThrow();
    }

    OptionalLong optionalBytes(String path) {
        return get(path).value() instanceof Value.Bytes b ? OptionalLong.of(b.number()) : OptionalLong.empty();
    }

    OptionalDouble optionalReal(String path) {
        return get(path).value() instanceof Value.Real r ? OptionalDouble.of(r.number()) : OptionalDouble.empty();
    }

    double real(String path) {
        return optionalReal(path).orElseThrow();
    }

    List<Integer> integers(String path) {
        return get(path).value() instanceof Value.Items i
                ? i.items().stream()
                        .map(v -> Math.toIntExact(((Value.Int) v).number()))
                        .toList()
                : List.of();
    }

    List<Double> reals(String path) {
        return get(path).value() instanceof Value.Items i
                ? i.items().stream().map(v -> ((Value.Real) v).number()).toList()
                : List.of();
    }

    String text(String path) {
        return optionalText(path).orElseThrow();
    }

    Optional<String> optionalText(String path) {
        return get(path).value() instanceof Value.Text t ? Optional.of(t.text()) : Optional.empty();
    }

    /** What was written for a key of any type, as text. */
    Optional<String> written(String path) {
        return switch (get(path).value()) {
            case Value.NotSet n -> Optional.empty();
            case Value.Text t -> Optional.of(t.text());
            case Value other -> Optional.of(other.yaml());
        };
    }

    List<String> texts(String path) {
        return get(path).value() instanceof Value.Items i
                ? i.items().stream().map(v -> ((Value.Text) v).text()).toList()
                : List.of();
    }

    Optional<LocalDate> optionalDay(String path) {
        return get(path).value() instanceof Value.Date d ? Optional.of(d.day()) : Optional.empty();
    }
}
