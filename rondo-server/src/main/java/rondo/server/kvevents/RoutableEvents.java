package rondo.server.kvevents;

import java.util.List;
import org.jspecify.annotations.Nullable;
import rondo.kv.KvEvent;

/**
 * Keeps of the events what a router can use: whole blocks, since routers cut prompts into whole blocks only, and of the
 * life cycles the one that decides whether a prefix can be matched, or all.
 */
record RoutableEvents(CacheShape shape, boolean allGroups) {
    /** What is left of the event; null if nothing is. */
    @Nullable
    KvEvent of(KvEvent event) {
        return switch (event) {
            case KvEvent.Created e -> null;
            case KvEvent.Raised e -> null;
            case KvEvent.Stored e -> isWanted(e.lifeCycle()) ? whole(e) : null;
            case KvEvent.Removed e -> isWanted(e.lifeCycle()) ? whole(e) : null;
            case KvEvent.Moved e -> isWanted(e.lifeCycle()) && isWhole(e.block()) ? e : null;
            case KvEvent.Cleared e -> e;
        };
    }

    private boolean isWanted(int lifeCycle) {
        return allGroups || shape.isRoutable(lifeCycle);
    }

    private boolean isWhole(KvEvent.Block block) {
        return block.tokens().length() == shape.tokensPerBlock();
    }

    /** Only the last of a chain can be a part. */
    private @Nullable KvEvent whole(KvEvent.Stored e) {
        List<KvEvent.Block> blocks = e.blocks();
        if (isWhole(blocks.getLast())) {
            return e;
        }
        return blocks.size() == 1
                ? null
                : new KvEvent.Stored(
                        e.lifeCycle(), e.parent(), blocks.subList(0, blocks.size() - 1), e.tier(), e.priority());
    }

    private static @Nullable KvEvent whole(KvEvent.Removed e) {
        boolean all = true;
        for (KvEvent.Gone gone : e.blocks()) {
            all &= gone.whole();
        }
        if (all) {
            return e;
        }
        List<KvEvent.Gone> rest =
                e.blocks().stream().filter(KvEvent.Gone::whole).toList();
        return rest.isEmpty() ? null : new KvEvent.Removed(e.lifeCycle(), rest);
    }
}
