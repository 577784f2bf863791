package rondo.cli.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The known name that a misspelt one was probably meant to be (serve-config.md §1.2). */
public final class Nearest {
    private Nearest() {}

    /** A candidate: what is compared, what is suggested, and whether it stands in the mapping at hand. */
    public record Candidate(String leaf, String suggestion, boolean here) {}

    /** The suggestion of the nearest candidate, or empty where none is near. */
    public static Optional<String> of(String word, Collection<Candidate> candidates) {
        record Scored(Candidate candidate, int distance) {}
        int length = word.codePointCount(0, word.length());
        return candidates.stream()
                .map(c -> new Scored(c, distance(word, c.leaf())))
                .filter(s -> s.distance() <= 2 || s.distance() * 3 <= length)
                .min(Comparator.comparingInt(Scored::distance)
                        .thenComparing(s -> !s.candidate().here())
                        .thenComparing(s -> s.candidate().leaf())
                        .thenComparing(s -> s.candidate()
                                .suggestion()
                                .chars()
                                .filter(c -> c == '.')
                                .count())
                        .thenComparing(s -> s.candidate().suggestion()))
                .map(s -> s.candidate().suggestion());
    }

    /** Damerau-Levenshtein distance with adjacent transpositions (optimal string alignment). */
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            d[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            d[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int swap = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + swap);
                boolean crossed =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (crossed) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
