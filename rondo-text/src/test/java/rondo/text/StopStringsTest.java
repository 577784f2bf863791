package rondo.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

class StopStringsTest {
    private static String letters(SplittableRandom random, int from, int to) {
        StringBuilder out = new StringBuilder();
        for (int n = random.nextInt(from, to); n > 0; n--) {
            out.append((char) ('a' + random.nextInt(3)));
        }
        return out.toString();
    }

    @Test
    void theFirstCompletedStopEndsTheTextHoweverItIsCut() {
        Seeds.forEach(500, random -> {
            List<String> stops = new ArrayList<>();
            for (int n = random.nextInt(1, 5); n > 0; n--) {
                stops.add(letters(random, 1, 6));
            }
            String text = letters(random, 0, 60);
            int ignored = random.nextInt(10);
            // naive: the first end at which some stop string ends; ends within the ignored start do not count
            int end = -1;
            String stop = "";
            for (int i = ignored + 1; i <= text.length() && end < 0; i++) {
                for (String s : stops) {
                    if (text.substring(0, i).endsWith(s) && s.length() > stop.length()) {
                        end = i;
                        stop = s;
                    }
                }
            }
            boolean include = random.nextBoolean();
            StopStrings search = new StopStrings(stops, include);
            StringBuilder out = new StringBuilder();
            int at = 0;
            int found = StopStrings.NONE;
            while (at < text.length() && found == StopStrings.NONE) {
                boolean count = at >= ignored;
                int limit = count ? text.length() : Math.min(ignored, text.length());
                int next = Math.min(limit, at + random.nextInt(1, 8));
                found = search.push(text.substring(at, next), count, out);
                at = next;
                if (found == StopStrings.NONE) {
                    assertThat(text.substring(0, at)).startsWith(out.toString());
                    String held = text.substring(out.length(), at);
                    assertThat(held.isEmpty() || stops.stream().anyMatch(s -> s.startsWith(held)))
                            .as("'%s' held back for %s", held, stops)
                            .isTrue();
                }
            }
            if (end < 0) {
                assertThat(found).isEqualTo(StopStrings.NONE);
                search.flush(out);
                assertThat(out.toString()).isEqualTo(text);
            } else {
                assertThat(search.get(found)).isEqualTo(stop);
                assertThat(out.toString()).isEqualTo(text.substring(0, include ? end : end - stop.length()));
            }
        });
    }

    @Test
    void withoutStopStringsNothingIsHeldBack() {
        StopStrings none = new StopStrings(List.of(), false);
        StringBuilder out = new StringBuilder();
        assertThat(none.push("abc", true, out)).isEqualTo(StopStrings.NONE);
        assertThat(out.toString()).isEqualTo("abc");
    }

    @Test
    void aStopStringCompleteBeforeMinTokensDoesNotCountLater() {
        StopStrings stops = new StopStrings(List.of("END"), false);
        StringBuilder out = new StringBuilder();
        assertThat(stops.push("an END ", false, out)).isEqualTo(StopStrings.NONE);
        assertThat(stops.push("more EN", true, out)).isEqualTo(StopStrings.NONE);
        assertThat(out.toString()).isEqualTo("an END more ");
        assertThat(stops.push("D!", true, out)).isZero();
        assertThat(out.toString()).isEqualTo("an END more ");
    }
}
