package rondo.agentx.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import rondo.agentx.plan.PlanOptions.ChainRules;
import rondo.agentx.trace.TraceRequest;

/** Names side chains by what they are (agentx-protocol.md C5); names never decide whether load is sent. */
record ChainClass(ConversationKind kind, String suffix) {

    /** Kind and id suffix of each side chain, in the order of {@code chains.workers()}. */
    static List<ChainClass> classify(Chains chains, ChainRules rules) {
        List<Chain> rest = new ArrayList<>();
        Map<Chain, ChainClass> classes = new IdentityHashMap<>();
        int aux = 0;
        for (Chain chain : chains.workers()) {
            if (isAux(chain, chains, rules) || isReduction(chain, rules)) {
                classes.put(chain, new ChainClass(ConversationKind.AUXILIARY, "aux:%03d".formatted(aux++)));
            } else {
                rest.add(chain);
            }
        }
        int group = 0;
        for (List<Chain> members : groups(rest, rules)) {
            for (int m = 0; m < members.size(); m++) {
                classes.put(
                        members.get(m),
                        new ChainClass(ConversationKind.WORKER_GROUP, "wg:%03d_%03d".formatted(group, m)));
            }
            group++;
        }
        List<ChainClass> out = new ArrayList<>();
        int solo = 0;
        for (Chain chain : chains.workers()) {
            ChainClass known = classes.get(chain);
            out.add(known != null ? known : new ChainClass(ConversationKind.SOLO_AGENT, "fa:%03d".formatted(solo++)));
        }
        return out;
    }

    private static boolean isAux(Chain chain, Chains chains, ChainRules rules) {
        TraceRequest first = chain.first().request();
        boolean otherModel = rules.auxCrossModel() && !first.model().equals(chains.model());
        double small = Math.max(rules.auxFloor(), Math.floor(rules.auxRatio() * chains.peak()));
        return chain.turns.size() <= rules.auxMaxRequests() && (otherModel || first.in() < small);
    }

    private static boolean isReduction(Chain chain, ChainRules rules) {
        TraceRequest first = chain.first().request();
        return chain.turns.size() == 1
                && first.out() > 0
                && first.out() < rules.reductionMaxOutput()
                && first.in() >= rules.auxFloor()
                && first.in() > rules.reductionRatio() * first.out();
    }

    /** Connected components of overlapping chains that forked from the same request. */
    private static List<List<Chain>> groups(List<Chain> chains, ChainRules rules) {
        if (rules.workerGroupMin() == 0) {
            return List.of();
        }
        Map<RecordedTurn, List<Chain>> byFork = new HashMap<>();
        for (Chain chain : chains) {
            if (chain.forkedFrom != null && chain.forkDepth > 0) {
                byFork.computeIfAbsent(chain.forkedFrom, t -> new ArrayList<>()).add(chain);
            }
        }
        List<List<Chain>> groups = new ArrayList<>();
        for (List<Chain> siblings : byFork.values()) {
            siblings.sort(Comparator.comparing(Chain::first, Chains.BY_TIME));
            List<Chain> component = new ArrayList<>();
            double end = Double.NEGATIVE_INFINITY;
            for (Chain chain : siblings) {
                if (chain.first().start() >= end) {
                    keep(component, groups, rules);
                    component = new ArrayList<>();
                }
                component.add(chain);
                end = Math.max(end, chain.lastEnd());
            }
            keep(component, groups, rules);
        }
        groups.sort(Comparator.comparing(g -> g.getFirst().first(), Chains.BY_TIME));
        return groups;
    }

    private static void keep(List<Chain> component, List<List<Chain>> groups, ChainRules rules) {
        if (component.size() >= rules.workerGroupMin()) {
            groups.add(component);
        }
    }
}
