package rondo.agentx.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import rondo.agentx.plan.PlanOptions.ChainRules;

/**
 * Splits the requests of one agent into its main chain and side chains (agentx-protocol.md C1-C4).
 *
 * @param main    the main chain, preamble included
 * @param workers side chains by first start
 * @param peak    longest prompt of the main chain without the preamble, tokens
 * @param model   model of the main chain
 */
record Chains(List<RecordedTurn> main, List<Chain> workers, int peak, String model) {
    private static final double EPSILON = 1e-6;
    static final Comparator<RecordedTurn> BY_TIME =
            Comparator.comparingDouble(RecordedTurn::start).thenComparingInt(RecordedTurn::index);

    static Chains detect(List<RecordedTurn> requests, ChainRules rules) {
        List<RecordedTurn> sorted = new ArrayList<>(requests);
        sorted.sort(BY_TIME);
        Optional<RecordedTurn> preamble = rules.split() ? preamble(sorted) : Optional.empty();
        preamble.ifPresent(sorted::remove);
        List<Chain> chains = rules.split() ? new Detector(rules).run(sorted) : List.of(single(sorted));
        Chain mainChain =
                chains.stream().min(Comparator.comparing(Chain::first, BY_TIME)).orElseThrow();
        List<Chain> workers = chains.stream()
                .filter(c -> c != mainChain)
                .sorted(Comparator.comparing(Chain::first, BY_TIME))
                .toList();
        int peak =
                mainChain.turns.stream().mapToInt(t -> t.request().in()).max().orElseThrow();
        List<RecordedTurn> main = new ArrayList<>(mainChain.turns);
        preamble.ifPresent(main::add);
        main.sort(BY_TIME);
        return new Chains(main, workers, peak, mainChain.first().request().model());
    }

    private static Chain single(List<RecordedTurn> turns) {
        Chain chain = new Chain(0, null, 0);
        turns.forEach(chain::add);
        return chain;
    }

    /** The earliest request if it stands apart from all others (C1). */
    private static Optional<RecordedTurn> preamble(List<RecordedTurn> sorted) {
        if (sorted.size() < 2) {
            return Optional.empty();
        }
        RecordedTurn first = sorted.getFirst();
        int[] ids = first.ids();
        if (ids.length == 0) {
            return Optional.empty();
        }
        for (RecordedTurn other : sorted.subList(1, sorted.size())) {
            if (other.ids().length > 0 && other.ids()[0] == ids[0]) {
                return Optional.empty();
            }
        }
        if (first.request().out() <= 64) {
            return Optional.of(first);
        }
        Set<Integer> elsewhere = new HashSet<>();
        for (RecordedTurn other : sorted.subList(1, sorted.size())) {
            for (int id : other.ids()) {
                elsewhere.add(id);
            }
        }
        return Arrays.stream(ids).noneMatch(elsewhere::contains) ? Optional.of(first) : Optional.empty();
    }

    static int commonPrefix(int[] a, int[] b) {
        int mismatch = Arrays.mismatch(a, b);
        return mismatch < 0 ? a.length : mismatch;
    }

    /** Phases 1 and 2: chains by extension, then seams where a context was edited (C2, C3). */
    private static final class Detector {
        private final ChainRules rules;
        private final List<Chain> chains = new ArrayList<>();
        private final Map<RecordedTurn, Chain> chainOf = new HashMap<>();

        Detector(ChainRules rules) {
            this.rules = rules;
        }

        List<Chain> run(List<RecordedTurn> sorted) {
            for (RecordedTurn turn : sorted) {
                place(turn);
            }
            joinSeams();
            return chains.stream().filter(c -> c.merged() == c).toList();
        }

        private void place(RecordedTurn turn) {
            if (chains.isEmpty()) {
                found(turn, null, 0);
            } else if (turn.ids().length == 0 || chains.getFirst().tail() == null) {
                add(chains.getFirst(), turn);
            } else {
                extendable(turn).ifPresentOrElse(chain -> add(chain, turn), () -> fork(turn));
            }
        }

        private Optional<Chain> extendable(RecordedTurn turn) {
            Chain best = null;
            int bestLength = -1;
            for (Chain chain : chains) {
                RecordedTurn tail = chain.tail();
                if (tail != null
                        && tail.ids().length > bestLength
                        && tail.end() <= turn.start() + EPSILON
                        && tail.request().model().equals(turn.request().model())
                        && commonPrefix(tail.ids(), turn.ids()) == tail.ids().length) {
                    best = chain;
                    bestLength = tail.ids().length;
                }
            }
            return Optional.ofNullable(best);
        }

        private void fork(RecordedTurn turn) {
            RecordedTurn source = null;
            int depth = 0;
            for (Chain chain : chains) {
                RecordedTurn tail = chain.tail();
                if (tail == null) {
                    continue;
                }
                int common = commonPrefix(tail.ids(), turn.ids());
                boolean longer = source != null && tail.ids().length > source.ids().length;
                if (common > depth || (common == depth && common > 0 && longer)) {
                    source = tail;
                    depth = common;
                }
            }
            found(turn, source, depth);
        }

        private void found(RecordedTurn turn, @Nullable RecordedTurn source, int depth) {
            Chain chain = new Chain(chains.size(), source, depth);
            chains.add(chain);
            add(chain, turn);
        }

        private void add(Chain chain, RecordedTurn turn) {
            chain.add(turn);
            chainOf.put(turn, chain);
        }

        private void joinSeams() {
            Comparator<RecordedTurn> order =
                    Comparator.comparingInt(RecordedTurn::index).thenComparingDouble(RecordedTurn::start);
            TreeMap<RecordedTurn, List<Chain>> forks = new TreeMap<>(order);
            for (Chain chain : chains) {
                if (chain.forkedFrom != null) {
                    forks.computeIfAbsent(chain.forkedFrom, t -> new ArrayList<>())
                            .add(chain);
                }
            }
            while (!forks.isEmpty()) {
                Map.Entry<RecordedTurn, List<Chain>> entry = forks.pollFirstEntry();
                RecordedTurn source = entry.getKey();
                Chain owner = chain(source);
                if (owner.tail() != source) {
                    continue;
                }
                Optional<Chain> seam = entry.getValue().stream()
                        .filter(f -> continues(source, f))
                        .min(Comparator.comparingInt((Chain f) -> -depth(source, f))
                                .thenComparingDouble(f -> f.first().start())
                                .thenComparingInt(f -> f.index));
                seam.ifPresent(chain -> {
                    owner.splice(chain);
                    reRegister(forks, entry.getValue(), chain, owner);
                });
            }
        }

        private void reRegister(
                TreeMap<RecordedTurn, List<Chain>> forks, List<Chain> siblings, Chain taken, Chain owner) {
            RecordedTurn last = owner.tail();
            if (last == null) {
                return;
            }
            for (Chain fork : siblings) {
                if (fork != taken && depth(last, fork) > 0) {
                    forks.computeIfAbsent(last, t -> new ArrayList<>()).add(fork);
                }
            }
        }

        private boolean continues(RecordedTurn source, Chain fork) {
            RecordedTurn first = fork.first();
            int depth = depth(source, fork);
            double gap = first.start() - source.end();
            boolean blocked =
                    gap > rules.seamMaxGapSeconds() && (double) depth / source.ids().length < rules.seamMinOverlap();
            return fork.merged() == fork
                    && fork != chain(source)
                    && depth > 0
                    && gap >= -EPSILON
                    && first.request().model().equals(source.request().model())
                    && !blocked;
        }

        private static int depth(RecordedTurn source, Chain fork) {
            return commonPrefix(source.ids(), fork.first().ids());
        }

        private Chain chain(RecordedTurn turn) {
            Chain chain = chainOf.get(turn);
            if (chain == null) {
                throw new IllegalStateException("request " + turn.index() + " is in no chain");
            }
            return chain.merged();
        }
    }
}
