package rondo.agentx.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What an unbounded cache that knows only the past would hit, by the recorded times (agentx-protocol.md §7.5). */
final class TheoreticalHits {
    private TheoreticalHits() {}

    private record Place(int conversation, int turn, Turn what) {}

    /** Fills in {@link Turn#hitBlocks} of all turns of one trace; the lists are edited in place. */
    static void fill(List<List<Turn>> conversations) {
        List<Place> places = new ArrayList<>();
        for (int c = 0; c < conversations.size(); c++) {
            for (int k = 0; k < conversations.get(c).size(); k++) {
                places.add(new Place(c, k, conversations.get(c).get(k)));
            }
        }
        places.sort(Comparator.comparingDouble((Place p) -> p.what().start())
                .thenComparingInt(p -> p.what().outer())
                .thenComparingInt(Place::conversation)
                .thenComparingInt(Place::turn));
        Map<Integer, Double> availableFrom = new HashMap<>();
        for (Place place : places) {
            Turn turn = place.what();
            int[] ids = turn.hashIds();
            int run = 0;
            while (run < ids.length && availableFrom.getOrDefault(ids[run], Double.MAX_VALUE) <= turn.start()) {
                run++;
            }
            // Blocks of the hit run were available before this request started, so its end cannot be earlier.
            for (int b = run; b < ids.length; b++) {
                availableFrom.merge(ids[b], turn.end(), Math::min);
            }
            conversations
                    .get(place.conversation())
                    .set(place.turn(), turn.withHits(Math.min(run, turn.coveredBlocks())));
        }
    }
}
