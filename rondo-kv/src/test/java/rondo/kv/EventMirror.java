package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;

/** What somebody knows of a cache who has only its events: which block has a page in which life cycle and tier. */
final class EventMirror implements KvEventSink {
    /** A page: its block by key and tokens, which a replay must be able to tell. */
    record Page(int lifeCycle, KvEvent.Key key, Tier tier) {}

    private final Set<Page> pages = new HashSet<>();

    Set<Page> pages() {
        return Set.copyOf(pages);
    }

    @Override
    public void accept(long id, KvEvent event) {
        switch (event) {
            case KvEvent.Created c -> {}
            case KvEvent.Raised r -> {}
            case KvEvent.Stored s ->
                s.blocks()
                        .forEach(b -> assertThat(pages.add(new Page(s.lifeCycle(), b.key(), s.tier())))
                                .as("stored twice: %s", s)
                                .isTrue());
            case KvEvent.Removed r ->
                r.blocks()
                        .forEach(g -> assertThat(pages.remove(new Page(r.lifeCycle(), g.key(), g.tier())))
                                .as("removed but never stored: %s", r)
                                .isTrue());
            case KvEvent.Moved m -> {
                assertThat(pages.remove(new Page(m.lifeCycle(), m.block().key(), m.from())))
                        .isTrue();
                assertThat(pages.add(new Page(m.lifeCycle(), m.block().key(), m.to())))
                        .isTrue();
            }
            case KvEvent.Cleared c -> assertThat(pages).isEmpty();
        }
    }

    /** What the cache really holds; for caches without salts, where a block's name is its key. */
    static Set<Page> of(CachedBlocks cached) {
        RadixTree tree = cached.tree;
        Set<Page> out = new HashSet<>();
        for (int node = 0; node < tree.idLimit(); node++) {
            for (int lc = 0; tree.exists(node) && lc < tree.lifeCycles; lc++) {
                int page = tree.page(node, lc);
                if (page >= 0) {
                    KvEvent.Key key = new KvEvent.Key(
                            tree.keyWord(node, 0), tree.keyWord(node, 1), tree.keyWord(node, 2), tree.keyWord(node, 3));
                    out.add(new Page(lc, key, cached.pages.tier[page]));
                }
            }
        }
        return out;
    }
}
