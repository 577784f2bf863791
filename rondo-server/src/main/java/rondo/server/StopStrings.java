package rondo.server;

import java.util.List;

final class StopStrings {
    private final List<String> stops;
    private final boolean include;
    private final StringBuilder held = new StringBuilder();

    StopStrings(List<String> stops, boolean include) {
        this.stops = stops;
        this.include = include;
    }

    int push(CharSequence more, StringBuilder out) {
        for (int i = 0; i < more.length(); i++) {
            held.append(more.charAt(i));
            for (int s = 0; s < stops.size(); s++) {
                if (endsWith(stops.get(s), stops.get(s).length())) {
                    int cut = include
                            ? held.length()
                            : held.length() - stops.get(s).length();
                    out.append(held, 0, cut);
                    held.setLength(0);
                    return s;
                }
            }
        }
        int keep = 0;
        for (String stop : stops) {
            for (int n = Math.min(stop.length() - 1, held.length()); n > keep; n--) {
                if (endsWith(stop, n)) {
                    keep = n;
                }
            }
        }
        out.append(held, 0, held.length() - keep);
        held.delete(0, held.length() - keep);
        return -1;
    }

    private boolean endsWith(String stop, int n) {
        if (held.length() < n) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            if (held.charAt(held.length() - n + i) != stop.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    void forget() {}

    void flush(StringBuilder out) {
        out.append(held);
        held.setLength(0);
    }
}
