package rondo.model.checkpoint;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The account of a checkpoint's tensors: every stored name is consumed, skipped by a named rule, or left over; every
 * wanted name is consumed or missing. Names are sorted.
 */
public record WeightLedger(
        List<String> consumed, Map<String, List<String>> skipped, List<String> missing, List<String> leftOver) {
    /** Books what is stored against what is wanted; a wanted name is never skipped. */
    public static WeightLedger of(Set<String> stored, Collection<String> wanted, List<SkipRule> rules) {
        Set<String> needed = new TreeSet<>(wanted);
        List<String> consumed = new ArrayList<>();
        Map<String, List<String>> skipped = new TreeMap<>();
        List<String> leftOver = new ArrayList<>();
        for (String name : new TreeSet<>(stored)) {
            if (needed.remove(name)) {
                consumed.add(name);
                continue;
            }
            rules.stream()
                    .filter(rule -> rule.covers(name))
                    .findFirst()
                    .ifPresentOrElse(
                            rule -> skipped.computeIfAbsent(rule.name(), r -> new ArrayList<>())
                                    .add(name),
                            () -> leftOver.add(name));
        }
        return new WeightLedger(consumed, skipped, List.copyOf(needed), leftOver);
    }

    public int skippedCount() {
        return skipped.values().stream().mapToInt(List::size).sum();
    }

    /** Whether every name is explained. */
    public boolean balanced() {
        return missing.isEmpty() && leftOver.isEmpty();
    }

    /** One line: {@code weights: 99 consumed, 41 skipped (rule no_encoder), 0 missing, 0 left over}. */
    public String line() {
        String rules = skipped.isEmpty()
                ? ""
                : " (rule" + (skipped.size() > 1 ? "s " : " ") + String.join(", ", skipped.keySet()) + ")";
        return "weights: " + consumed.size() + " consumed, " + skippedCount() + " skipped" + rules + ", "
                + missing.size() + " missing, " + leftOver.size() + " left over";
    }

    /** Fails with one line that names the first unexplained tensors. */
    public void requireBalanced(Path directory) {
        if (balanced()) {
            return;
        }
        String what = missing.isEmpty() ? "" : missing.size() + " tensors missing: " + Faults.list(missing);
        if (!leftOver.isEmpty()) {
            what += (what.isEmpty() ? "" : "; ") + leftOver.size() + " tensors left over that no rule explains: "
                    + Faults.list(leftOver);
        }
        throw Faults.in(directory, what);
    }
}
