package rondo.cli.config;

import java.util.List;
import java.util.Optional;

/**
 * One row of the key table.
 *
 * @param path       dotted path; a last part with {@code *} stands for many
 * @param nullable   whether {@code null} means "not set"
 * @param nullResets whether {@code null} means the default
 * @param standard   the default
 * @param synonym    another value that says the same as the default; not set where there is none
 * @param about      meaning of an active key, reason of any other
 * @param notes      what holds for single values
 * @param to         the new path of a renamed or deprecated key, else empty
 * @param secret     whether its value must never be printed
 * @param section    heading under which it is documented
 */
record Key(
        String path,
        KeyType type,
        boolean nullable,
        boolean nullResets,
        Value standard,
        Value synonym,
        Status status,
        String about,
        List<ValueNote> notes,
        String to,
        boolean secret,
        String section) {
    enum Status {
        ACTIVE,
        LATER,
        NOTED,
        GPU,
        EAGER,
        REFUSED,
        RENAMED,
        ALIAS
    }

    enum Fate {
        LATER,
        REFUSE,
        NOTE
    }

    /**
     * What happens to some values of a key.
     *
     * @param values as YAML writes them; {@code *} = any but the default
     */
    record ValueNote(Fate fate, List<String> values, String reason) {}

    String leaf() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    String parent() {
        int dot = path.lastIndexOf('.');
        return dot < 0 ? "" : path.substring(0, dot);
    }

    boolean isFlag() {
        return path.startsWith("--");
    }

    boolean isPattern() {
        return path.endsWith("*");
    }

    boolean isGroup() {
        return type instanceof KeyType.Group;
    }

    /** Whether a value says what silence would have said. */
    boolean isDefault(Value value) {
        return value.equals(standard) || value.equals(synonym) || value instanceof Value.NotSet;
    }

    /** The note for a value; one that names it wins over {@code *}. */
    Optional<ValueNote> noteFor(Value value) {
        String text = value instanceof Value.Text t ? t.text() : value.yaml();
        return notes.stream()
                .filter(n -> n.values().contains(text))
                .findFirst()
                .or(() -> notes.stream()
                        .filter(n -> n.values().contains("*") && !isDefault(value))
                        .findFirst());
    }
}
