package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static rondo.kv.Play.join;
import static rondo.kv.Play.range;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

class EventBufferTest {
    private static final String FIRST = "e432228522a304ab556d66e6e40979ad05575f28b19b554264dd3c6277aaf073";
    private static final String SECOND = "756b1d258c63ccc0cbd6284ab33b043c81175086163f9d2821f5764079efb75c";
    private static final String PART = "7fabfb79be197b116ecec3a823a33b6cf1597e2d2a662f43165da8d2c118116d";

    private static KvOptions options(int size) {
        return new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 0, 35, 0.95, size, 64);
    }

    @Test
    void aChainOfBlocksIsOneEventAndAGrowingTailIsRemovedAndStored() {
        Play p = Play.full(64, options(100));
        p.play("A", range(1, 7), 500);
        p.play("B", range(1, 9), 500);
        List<KvEvent> events = new ArrayList<>();
        assertThat(p.kv.drainEvents((id, e) -> {
                    assertThat(id).isEqualTo(events.size());
                    events.add(e);
                }))
                .isZero();
        assertThat(events)
                .containsExactly(
                        new KvEvent.Created(0, 64, 0),
                        new KvEvent.Stored(
                                0, "", List.of(new KvEvent.Block(FIRST, List.of(1, 2, 3, 4))), Tier.DEVICE, 35),
                        new KvEvent.Stored(0, FIRST, List.of(new KvEvent.Block(PART, List.of(5, 6))), Tier.DEVICE, 35),
                        new KvEvent.Removed(0, List.of(PART)),
                        new KvEvent.Stored(
                                0, FIRST, List.of(new KvEvent.Block(SECOND, List.of(5, 6, 7, 8))), Tier.DEVICE, 35));

        events.clear();
        p.kv.clear();
        p.kv.drainEvents((id, e) -> events.add(e));
        assertThat(events).containsExactly(new KvEvent.Removed(0, List.of(SECOND, FIRST)));
        p.play("C", range(1, 9), 500);
        events.clear();
        p.kv.drainEvents((id, e) -> events.add(e));
        assertThat(events).hasSize(1);
        assertThat(((KvEvent.Stored) events.getFirst()).blocks()).hasSize(2);
    }

    @Test
    void aFullBufferLosesItsOldestAndSaysSo() {
        Play p = Play.full(64, options(3));
        for (int i = 0; i < 5; i++) {
            p.play("A", range(100 * i, 100 * i + 9), 500); // two events each: the prompt's blocks, the tail
        }
        List<Long> ids = new ArrayList<>();
        assertThat(p.kv.drainEvents((id, e) -> ids.add(id))).isEqualTo(8);
        assertThat(ids).containsExactly(8L, 9L, 10L);
        assertThat(p.kv.drainEvents((id, e) -> ids.add(id))).isZero();
    }

    @Test
    void aMirrorFedWithEventsHasExactlyTheTreesPages() {
        Seeds.forEach(30, random -> {
            Play p = Play.hybrid(6 + random.nextInt(8), 10 + random.nextInt(20), options(100_000));
            Set<String> mirror = new HashSet<>();
            List<int[]> texts = new ArrayList<>(List.of(range(0, 3)));
            for (int i = 0; i < 40; i++) {
                int[] old = texts.get(random.nextInt(texts.size()));
                int[] start = java.util.Arrays.copyOf(old, random.nextInt(old.length + 1));
                int more = Math.max(1, Math.min(8, 30 - start.length));
                int[] prompt = join(start, random.ints(more, 0, 3).toArray());
                texts.add(prompt);
                p.playInChunks(
                        8, "A", prompt, random.ints(1 + random.nextInt(5), 0, 3).toArray());
                p.kv.drainEvents((id, e) -> replay(mirror, e));
                assertThat(mirror).isEqualTo(pages(p));
            }
        });
    }

    private static void replay(Set<String> mirror, KvEvent event) {
        switch (event) {
            case KvEvent.Created c -> {}
            case KvEvent.Stored s -> s.blocks().forEach(b -> mirror.add(s.lifeCycle() + b.key()));
            case KvEvent.Removed r ->
                r.keys()
                        .forEach(k ->
                                assertThat(mirror.remove(r.lifeCycle() + k)).isTrue());
            case KvEvent.Moved m -> throw new AssertionError("there is one tier");
        }
    }

    private static Set<String> pages(Play p) {
        RadixTree tree = p.kv.cached().tree;
        Set<String> out = new HashSet<>();
        byte[] key = new byte[32];
        for (int node = 0; node < tree.idLimit(); node++) {
            for (int lc = 0; lc < 2; lc++) {
                if (tree.exists(node) && tree.page(node, lc) >= 0) {
                    tree.key(node, key);
                    out.add(lc + java.util.HexFormat.of().formatHex(key));
                }
            }
        }
        return out;
    }
}
