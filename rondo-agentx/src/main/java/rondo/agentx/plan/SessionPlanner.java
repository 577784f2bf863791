package rondo.agentx.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import rondo.agentx.trace.SubagentEntry;
import rondo.agentx.trace.SubagentTime;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceEntry;
import rondo.agentx.trace.TraceRequest;

/** Makes the plan of a trace: conversations, spawns, joins, barriers, delays, prompts (agentx-protocol.md §2, §3). */
public final class SessionPlanner {
    private static final double EPSILON = 1e-6;

    private final Trace trace;
    private final PlanOptions options;
    private final Map<String, Integer> models = new LinkedHashMap<>();
    private final List<Draft> drafts = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private SessionPlanner(Trace trace, PlanOptions options) {
        this.trace = trace;
        this.options = options;
    }

    /** A conversation before its delays and offsets are known. */
    private record Draft(
            String id,
            ConversationKind kind,
            int scope,
            int spawnTurn,
            int gateTurn,
            int prefixTokens,
            List<RecordedTurn> turns) {}

    /**
     * A plan, and what was odd about the trace.
     *
     * @param warnings one line each, for people
     */
    public record Planned(SessionPlan plan, List<String> warnings) {}

    /** Plans one trace that has a root request; topology is decided on the unscaled trace (T11). */
    public static Planned plan(Trace trace, PlanOptions options) {
        SessionPlanner planner = new SessionPlanner(trace, options);
        planner.conversations();
        return new Planned(planner.build(), List.copyOf(planner.warnings));
    }

    private void conversations() {
        List<RecordedTurn> top = new ArrayList<>();
        for (int i = 0; i < trace.entries().size(); i++) {
            if (trace.entries().get(i) instanceof TraceRequest r) {
                top.add(new RecordedTurn(i, -1, r));
                model(r.model());
            }
        }
        Chains chains = Chains.detect(top, options.chains());
        int prefix = trace.toolTokens() + trace.systemTokens();
        List<RecordedTurn> root = chains.main();
        drafts.add(new Draft(trace.id(), ConversationKind.ROOT, 0, -1, -1, prefix, root));
        sideChains(chains, trace.id() + "::", 0, prefix, root, -1);
        boolean markerIsEnd = markerIsEnd();
        int scope = 1;
        for (int i = 0; i < trace.entries().size(); i++) {
            if (trace.entries().get(i) instanceof SubagentEntry s) {
                subagent(s, i, scope++, root, markerIsEnd);
            }
        }
    }

    private void sideChains(
            Chains chains, String idPrefix, int scope, int prefix, List<RecordedTurn> root, int markerIndex) {
        List<ChainClass> classes = ChainClass.classify(chains, options.chains());
        for (int w = 0; w < chains.workers().size(); w++) {
            Chain chain = chains.workers().get(w);
            int index = markerIndex >= 0 ? markerIndex : chain.first().outer();
            int spawn = Math.max(0, lastRootTurnBefore(root, index));
            int gate = gate(root, index, chain.lastEnd());
            int ownPrefix = sharesPrefix(chains.main().getFirst(), chain.first(), prefix) ? prefix : 0;
            ChainClass named = classes.get(w);
            drafts.add(new Draft(
                    idPrefix + named.suffix(), named.kind(), scope, spawn, gate, ownPrefix, List.copyOf(chain.turns)));
        }
    }

    private void subagent(SubagentEntry entry, int index, int scope, List<RecordedTurn> root, boolean markerIsEnd) {
        int spawn = lastRootTurnBefore(root, index);
        if (spawn < 0 || entry.requests().isEmpty()) {
            warnings.add("trace " + trace.id() + ": subagent " + entry.agentId() + " dropped: "
                    + (spawn < 0 ? "no root request before it" : "it has no requests"));
            return;
        }
        double duration = Math.max(0, entry.durationMs().orElse(0) / 1000);
        double start = markerIsEnd && entry.durationMs().isPresent() ? entry.t() - duration : entry.t();
        double firstNested =
                entry.requests().stream().mapToDouble(TraceRequest::t).min().orElseThrow();
        double shift = firstNested < start - EPSILON ? start : 0;
        List<RecordedTurn> nested = new ArrayList<>();
        for (int k = 0; k < entry.requests().size(); k++) {
            TraceRequest r = entry.requests().get(k);
            nested.add(new RecordedTurn(index, k, shift == 0 ? r : r.at(r.t() + shift)));
            model(r.model());
        }
        double end = entry.durationMs().isPresent()
                ? start + duration
                : nested.stream().mapToDouble(RecordedTurn::end).max().orElse(start);
        Chains chains = Chains.detect(nested, options.chains());
        int prefix = entry.toolTokens() + entry.systemTokens();
        String id = trace.id() + "::sa:" + entry.agentId();
        drafts.add(
                new Draft(id, ConversationKind.SUBAGENT, scope, spawn, gate(root, index, end), prefix, chains.main()));
        sideChains(chains, id + ":", scope, prefix, root, index);
    }

    /** Whether a side chain starts with the declared prefix of the main chain (R12). */
    private boolean sharesPrefix(RecordedTurn main, RecordedTurn side, int prefixTokens) {
        int blocks = options.scale().prefixBlocks(prefixTokens, trace.blockSize());
        int[] a = scaled(main.request()).hashIds();
        int[] b = scaled(side.request()).hashIds();
        return blocks <= a.length && blocks <= b.length && Arrays.equals(a, 0, blocks, b, 0, blocks);
    }

    private static int lastRootTurnBefore(List<RecordedTurn> root, int index) {
        int found = -1;
        for (int k = 0; k < root.size(); k++) {
            if (root.get(k).outer() < index) {
                found = k;
            }
        }
        return found;
    }

    /** The root turn that waits for an end at {@code end} (C8), or -1. */
    private static int gate(List<RecordedTurn> root, int index, double end) {
        for (int k = 0; k < root.size(); k++) {
            if (root.get(k).outer() > index && root.get(k).start() + EPSILON >= end) {
                return k;
            }
        }
        return -1;
    }

    /** T6, for the whole trace. */
    private boolean markerIsEnd() {
        if (options.subagentTime() != SubagentTime.AUTO) {
            return options.subagentTime() == SubagentTime.END;
        }
        int judged = 0;
        int ends = 0;
        double previousEnd = 0;
        for (TraceEntry entry : trace.entries()) {
            switch (entry) {
                case TraceRequest r -> previousEnd = r.end();
                case SubagentEntry s -> {
                    if (s.durationMs().isPresent()) {
                        judged++;
                        double duration = s.durationMs().getAsDouble() / 1000;
                        if (Math.abs(s.t() - duration - previousEnd) < Math.abs(s.t() - previousEnd)) {
                            ends++;
                        }
                    }
                }
            }
        }
        return judged > 0 && 2 * ends >= judged;
    }

    private SessionPlan build() {
        List<List<Turn>> turns = new ArrayList<>();
        for (Draft draft : drafts) {
            turns.add(turns(draft));
        }
        TheoreticalHits.fill(turns);
        int[] scopes = drafts.stream().mapToInt(Draft::scope).toArray();
        Barriers.fill(turns, drafts.stream().map(Draft::id).toList(), scopes);
        Map<TurnRef, Double> branchStart = new HashMap<>();
        for (Draft d : drafts.subList(1, drafts.size())) {
            branchStart.merge(
                    new TurnRef(d.spawnTurn(), d.gateTurn()),
                    d.turns().getFirst().start(),
                    Math::min);
        }
        List<Conversation> conversations = new ArrayList<>();
        for (int c = 0; c < drafts.size(); c++) {
            Draft d = drafts.get(c);
            conversations.add(new Conversation(
                    d.id(), d.kind(), d.spawnTurn(), d.gateTurn(), offset(d, branchStart), List.copyOf(turns.get(c))));
        }
        return new SessionPlan(trace.id(), trace.blockSize(), List.copyOf(conversations));
    }

    /** D3. */
    private double offset(Draft d, Map<TurnRef, Double> branchStart) {
        if (d.kind() == ConversationKind.ROOT) {
            return 0;
        }
        double first = d.turns().getFirst().start();
        double anchor = options.spawnAnchor() == PlanOptions.SpawnAnchor.BRANCH
                ? branchStart.getOrDefault(new TurnRef(d.spawnTurn(), d.gateTurn()), first)
                : drafts.getFirst().turns().get(d.spawnTurn()).end();
        return Math.max(0, first - anchor);
    }

    private List<Turn> turns(Draft draft) {
        List<TraceRequest> requests =
                draft.turns().stream().map(t -> scaled(t.request())).toList();
        int prefixBlocks = options.scale().prefixBlocks(draft.prefixTokens(), trace.blockSize());
        List<List<Segment>> segments =
                Prompts.plan(requests, prefixBlocks, trace.blockSize(), options.scale(), draft.id());
        List<Turn> out = new ArrayList<>(requests.size());
        int notUser = 0;
        for (int k = 0; k < requests.size(); k++) {
            TraceRequest r = requests.get(k);
            TraceRequest before = k == 0 ? r : requests.get(k - 1);
            double delay = k == 0 ? 0 : Math.max(0, r.t() - before.t() - before.apiSeconds());
            notUser += segments.get(k).getLast().role() == Role.USER ? 0 : 1;
            out.add(new Turn(
                    draft.turns().get(k).outer(),
                    draft.turns().get(k).inner(),
                    r.t(),
                    r.end(),
                    delay,
                    r.in(),
                    maxTokens(draft, r),
                    r.hashIds(),
                    Prompts.coveredBlocks(r, trace.blockSize()),
                    segments.get(k),
                    model(r.model()),
                    InputKind.of(r, k == 0 ? "" : before.stop()),
                    0,
                    List.of()));
        }
        if (notUser > 0) {
            warnings.add("trace " + trace.id() + ": " + notUser + " requests of " + draft.id()
                    + " end with a message that is not the user's");
        }
        return out;
    }

    /** R16, T8. */
    private int maxTokens(Draft draft, TraceRequest r) {
        boolean topLevel = draft.turns().getFirst().inner() < 0;
        int cap = topLevel ? options.maxOutput().orElse(Integer.MAX_VALUE) : Integer.MAX_VALUE;
        return Math.max(1, Math.min(r.out(), cap));
    }

    private TraceRequest scaled(TraceRequest r) {
        return options.scale().apply(r, trace.blockSize());
    }

    private int model(String name) {
        return models.computeIfAbsent(name, n -> models.size());
    }
}
