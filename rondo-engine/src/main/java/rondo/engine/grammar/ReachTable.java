package rondo.engine.grammar;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The remembered token sets of one grammar, found by walking the token tree when first asked for. What has been found is
 * read without a lock; only the search takes one.
 */
final class ReachTable {
    /** Walk states that are remembered at most; they only save time. */
    private static final int MAX_STEPS = 8192;
    /** Memory of one of them, about: the table of its moves. */
    private static final long STEP_BYTES = 1100;

    private record Return(Reach.Exits from, int state) {}

    /** A configuration of a walk, with its moves as far as they are known. */
    private static final class Step {
        final Config config;
        final @Nullable Step[] moves = new Step[256];

        Step(Config config) {
            this.config = config;
        }
    }

    private final Automaton automaton;
    private final TokenTrie trie;
    private final AtomicReferenceArray<@Nullable Reach> byState;
    private final AtomicReferenceArray<@Nullable CountedReach> byBody;
    private final Map<Return, Reach> byReturn = new ConcurrentHashMap<>();

    // Of the search, under the lock.
    private final Mover mover;
    private final Map<Config, Step> steps = new HashMap<>();
    private final Step[] path;
    private final IntList tokens = new IntList();
    private final IntList exits = new IntList();
    /** Many places allow the same tokens. */
    private final Map<TokenMask, TokenMask> masks = new HashMap<>();

    private volatile long bytes;
    private volatile long stepBytes;

    ReachTable(Automaton automaton, TokenTrie trie) {
        this.automaton = automaton;
        this.trie = trie;
        byState = new AtomicReferenceArray<>(automaton.states());
        byBody = new AtomicReferenceArray<>(automaton.states());
        mover = new Mover(automaton);
        path = new Step[trie.maxDepth + 1];
    }

    /** What can be read from a frame while its rule has not returned. */
    Reach from(Frame frame) {
        int rule = automaton.ruleOf[frame.state];
        if (automaton.counted(rule)) {
            return counted(frame, rule);
        }
        Reach known = byState.get(frame.state);
        return known != null ? known : search(frame.state);
    }

    /** What can be read after a return to {@code state} at those nodes. */
    Reach after(Reach.Exits at, int state) {
        Return key = new Return(at, state);
        Reach known = byReturn.get(key);
        return known != null ? known : search(key);
    }

    boolean knows(int state) {
        return byState.get(state) != null;
    }

    private synchronized Reach search(int state) {
        Reach known = byState.get(state);
        if (known != null) {
            return known;
        }
        begin();
        walk(0, step(new Config(new Frame[] {new Frame(state, 0, Frame.BOTTOM)}, false)));
        Reach found = found();
        byState.set(state, found);
        return found;
    }

    private synchronized Reach search(Return key) {
        Reach known = byReturn.get(key);
        if (known != null) {
            return known;
        }
        begin();
        Step start = step(mover.at(new Frame(key.state(), 0, Frame.BOTTOM)));
        for (int node : key.from().nodes) {
            if (start.config.ends) {
                exits.add(node);
            }
            walk(node, start);
        }
        Reach found = found();
        byReturn.put(key, found);
        return found;
    }

    private void begin() {
        tokens.size = 0;
        exits.size = 0;
        if (steps.size() > MAX_STEPS) {
            steps.clear();
        }
    }

    private Reach found() {
        TokenMask mask = TokenMask.of(tokens.items, tokens.size, trie.vocabulary());
        TokenMask known = masks.putIfAbsent(mask, mask);
        bytes += 4L * exits.size + (known == null ? mask.bytes() : 0);
        stepBytes = STEP_BYTES * steps.size();
        return new Reach(known == null ? mask : known, Reach.Exits.of(exits.toArray()));
    }

    /** Memory of what was found, and of what is remembered of the walks, about. */
    long bytes() {
        return bytes + stepBytes;
    }

    /** All of the tree below a node, from a configuration. */
    private void walk(int node, Step start) {
        int base = trie.depth[node];
        path[base] = start;
        int end = trie.skip[node];
        int i = node + 1;
        while (i < end) {
            int depth = trie.depth[i];
            Step from = path[depth - 1];
            int b = trie.label[i] & 0xFF;
            Step to = from.moves[b];
            if (to == null) {
                to = step(mover.move(from.config, b));
                from.moves[b] = to;
            }
            if (to.config.isEmpty()) {
                i = trie.skip[i];
                continue;
            }
            for (int t = trie.firstId[i]; t < trie.firstId[i + 1]; t++) {
                tokens.add(trie.ids[t]);
            }
            if (to.config.ends && trie.hasChildren(i)) {
                exits.add(i);
            }
            if (to.config.frames.length == 0) {
                i = trie.skip[i];
            } else {
                path[depth] = to;
                i++;
            }
        }
    }

    private Step step(Config config) {
        return steps.computeIfAbsent(config, Step::new);
    }

    // ---- counted rules

    private Reach counted(Frame frame, int rule) {
        int body = automaton.start[automaton.bodyOf[rule]] + frame.state - automaton.start[rule];
        CountedReach known = byBody.get(body);
        if (known == null) {
            known = searchBody(body);
        }
        boolean between = frame.state == automaton.start[rule];
        int begun = frame.count + (between ? 0 : 1);
        return known.within(automaton.min[rule] - begun, automaton.max[rule] - begun);
    }

    private synchronized CountedReach searchBody(int body) {
        CountedReach known = byBody.get(body);
        if (known == null) {
            known = CountedReach.search(automaton, trie, body);
            byBody.set(body, known);
        }
        return known;
    }
}
