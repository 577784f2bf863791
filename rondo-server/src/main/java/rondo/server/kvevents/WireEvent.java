package rondo.server.kvevents;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import rondo.kv.KvEvent;
import rondo.kv.Tier;

/** An event in the three kinds that routers know. */
sealed interface WireEvent {
    record Stored(int group, Optional<KvEvent.Key> parent, List<KvEvent.Block> blocks, Tier tier)
            implements WireEvent {}

    record Removed(int group, List<KvEvent.Key> keys, Tier tier) implements WireEvent {}

    record Cleared() implements WireEvent {}

    /** Events of the cache in the routers' kinds: a block that moves is stored at its new place before it leaves the old. */
    static List<WireEvent> of(List<KvEvent> events) {
        List<WireEvent> out = new ArrayList<>(events.size());
        for (KvEvent event : events) {
            switch (event) {
                case KvEvent.Created e -> {}
                case KvEvent.Raised e -> {}
                case KvEvent.Stored e -> out.add(new Stored(e.lifeCycle(), e.parent(), e.blocks(), e.tier()));
                case KvEvent.Removed e -> removed(e, out);
                case KvEvent.Moved e -> {
                    out.add(new Stored(e.lifeCycle(), e.parent(), List.of(e.block()), e.to()));
                    out.add(new Removed(e.lifeCycle(), List.of(e.block().key()), e.from()));
                }
                case KvEvent.Cleared e -> out.add(new Cleared());
            }
        }
        return out;
    }

    private static void removed(KvEvent.Removed event, List<WireEvent> out) {
        for (Tier tier : Tier.values()) {
            List<KvEvent.Key> keys = new ArrayList<>();
            for (KvEvent.Gone gone : event.blocks()) {
                if (gone.tier() == tier) {
                    keys.add(gone.key());
                }
            }
            if (!keys.isEmpty()) {
                out.add(new Removed(event.lifeCycle(), keys, tier));
            }
        }
    }
}
