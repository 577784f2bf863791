package rondo.agentx.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A chain under construction: requests that extend each other, and where it forked from another chain. */
final class Chain {
    final int index;
    final List<RecordedTurn> turns = new ArrayList<>();
    final @Nullable RecordedTurn forkedFrom;
    final int forkDepth;

    /** The chain that took this one in as its continuation; itself while it stands alone. */
    private Chain mergedInto = this;

    private @Nullable RecordedTurn lastHashed;

    Chain(int index, @Nullable RecordedTurn forkedFrom, int forkDepth) {
        this.index = index;
        this.forkedFrom = forkedFrom;
        this.forkDepth = forkDepth;
    }

    void add(RecordedTurn turn) {
        turns.add(turn);
        if (turn.ids().length > 0) {
            lastHashed = turn;
        }
    }

    @Nullable
    RecordedTurn tail() {
        return lastHashed;
    }

    Chain merged() {
        Chain chain = this;
        while (chain.mergedInto != chain) {
            chain = chain.mergedInto;
        }
        return chain;
    }

    void splice(Chain continuation) {
        continuation.turns.forEach(this::add);
        continuation.mergedInto = this;
    }

    RecordedTurn first() {
        return turns.getFirst();
    }

    double lastEnd() {
        return turns.stream().mapToDouble(RecordedTurn::end).max().orElseThrow();
    }
}
