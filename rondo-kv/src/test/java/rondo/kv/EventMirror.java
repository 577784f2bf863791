package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;

/** What somebody knows of a cache who has only its events: which block has a page in which life cycle and tier. */
final class EventMirror implements KvEventSink {
    record Place(int lifeCycle, KvEvent.Key key) {}

    record Page(Tier tier, int priority) {}

    private final Map<Place, Page> pages = new HashMap<>();

    Map<Place, Page> pages() {
        return Map.copyOf(pages);
    }

    @Override
    public void accept(long id, KvEvent event) {
        switch (event) {
            case KvEvent.Created c -> {}
            case KvEvent.Stored s -> {
                for (KvEvent.Block b : s.blocks()) {
                    Page before = pages.put(new Place(s.lifeCycle(), b.key()), new Page(s.tier(), s.priority()));
                    assertThat(before).as("stored twice: %s", s).isNull();
                }
            }
            case KvEvent.Removed r -> {
                for (KvEvent.Gone g : r.blocks()) {
                    Page before = pages.remove(new Place(r.lifeCycle(), g.key()));
                    assertThat(before).as("removed but never stored: %s", r).isNotNull();
                    assertThat(before.tier()).isEqualTo(g.tier());
                }
            }
            case KvEvent.Moved m -> {
                Place place = new Place(m.lifeCycle(), m.block().key());
                assertThat(pages).containsKey(place);
                Page before = pages.put(place, new Page(m.to(), pages.get(place).priority()));
                assertThat(before.tier()).isEqualTo(m.from()).isNotEqualTo(m.to());
            }
            case KvEvent.Raised r -> {
                Place place = new Place(r.lifeCycle(), r.key());
                assertThat(pages.get(place).priority()).isEqualTo(r.from()).isLessThan(r.to());
                pages.put(place, new Page(pages.get(place).tier(), r.to()));
            }
            case KvEvent.Cleared c -> assertThat(pages).isEmpty();
        }
    }

    /** What the cache really holds. */
    static Map<Place, Page> of(CachedBlocks cached) {
        RadixTree tree = cached.tree;
        Map<Place, Page> out = new HashMap<>();
        for (int node = 0; node < tree.idLimit(); node++) {
            for (int lc = 0; tree.exists(node) && lc < tree.lifeCycles; lc++) {
                int page = tree.page(node, lc);
                if (page >= 0) {
                    out.put(
                            new Place(lc, cached.events.name(node)),
                            new Page(cached.pages.tier[page], cached.pages.priority[page]));
                }
            }
        }
        return out;
    }
}
