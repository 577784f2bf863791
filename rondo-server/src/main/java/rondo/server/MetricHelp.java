package rondo.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** One sentence about each metric, from {@code metrics.help}. */
final class MetricHelp {
    private final Map<String, String> byName;

    private MetricHelp(Map<String, String> byName) {
        this.byName = byName;
    }

    static MetricHelp load() {
        try (InputStream in = MetricHelp.class.getResourceAsStream("metrics.help")) {
            if (in == null) {
                throw new IllegalStateException("metrics.help is missing from the jar");
            }
            Map<String, String> byName = new HashMap<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                int bar = line.indexOf(" | ");
                if (bar > 0 && !line.startsWith("#")) {
                    byName.put(line.substring(0, bar), line.substring(bar + 3).strip());
                }
            }
            return new MetricHelp(Map.copyOf(byName));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sentence; empty for a metric that has none. */
    String of(String name) {
        return byName.getOrDefault(name, "");
    }
}
