package rondo.model.checkpoint;

import java.util.List;

/** Why tensors are left unread: a name for the ledger, and what their names start with, end with, or are. */
public record SkipRule(String name, List<String> prefixes, List<String> suffixes, List<String> exact) {
    public SkipRule {
        prefixes = List.copyOf(prefixes);
        suffixes = List.copyOf(suffixes);
        exact = List.copyOf(exact);
    }

    boolean covers(String tensor) {
        return exact.contains(tensor)
                || prefixes.stream().anyMatch(tensor::startsWith)
                || suffixes.stream().anyMatch(tensor::endsWith);
    }
}
