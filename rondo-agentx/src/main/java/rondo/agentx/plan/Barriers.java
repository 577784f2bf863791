package rondo.agentx.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Which turns of other streams must have completed before a turn may be sent (agentx-protocol.md C12). */
final class Barriers {
    private Barriers() {}

    private record Done(TurnRef ref, double start, double end, String key) {}

    private static final Comparator<Done> LATEST = Comparator.comparingDouble(Done::end)
            .thenComparingDouble(Done::start)
            .thenComparing(Done::key)
            .thenComparingInt(d -> d.ref().turn());

    /**
     * Fills in {@link Turn#predecessors}; the lists are edited in place.
     *
     * @param ids    of the conversations
     * @param scopes conversations of one scope share a number
     */
    static void fill(List<List<Turn>> conversations, List<String> ids, int[] scopes) {
        for (int c = 0; c < conversations.size(); c++) {
            List<Turn> turns = conversations.get(c);
            for (int k = 0; k < turns.size(); k++) {
                List<Done> candidates = new ArrayList<>();
                for (int other = 0; other < conversations.size(); other++) {
                    if (other != c && scopes[other] == scopes[c]) {
                        latest(
                                conversations.get(other),
                                other,
                                ids.get(other),
                                turns.get(k).start(),
                                candidates);
                    }
                }
                turns.set(k, turns.get(k).withPredecessors(undominated(candidates)));
            }
        }
    }

    private static void latest(List<Turn> stream, int index, String id, double before, List<Done> out) {
        Done best = null;
        for (int y = 0; y < stream.size(); y++) {
            Turn turn = stream.get(y);
            if (turn.start() < before && turn.end() <= before) {
                Done done = new Done(new TurnRef(index, y), turn.start(), turn.end(), id);
                best = best == null || LATEST.compare(done, best) > 0 ? done : best;
            }
        }
        if (best != null) {
            out.add(best);
        }
    }

    private static List<TurnRef> undominated(List<Done> candidates) {
        List<TurnRef> out = new ArrayList<>();
        for (Done y : candidates) {
            boolean dominated = candidates.stream().anyMatch(z -> y.start() < z.start() && y.end() <= z.start());
            if (!dominated) {
                out.add(y.ref());
            }
        }
        return List.copyOf(out);
    }
}
