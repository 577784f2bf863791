package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static rondo.kv.Play.join;
import static rondo.kv.Play.range;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.base.TokenIds;

class EventBufferTest {
    private static final String FIRST = "e432228522a304ab556d66e6e40979ad05575f28b19b554264dd3c6277aaf073";
    private static final String SECOND = "756b1d258c63ccc0cbd6284ab33b043c81175086163f9d2821f5764079efb75c";
    private static final String PART = "7fabfb79be197b116ecec3a823a33b6cf1597e2d2a662f43165da8d2c118116d";

    private static KvOptions options(int size) {
        return new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 0, 35, 0.95, size, 64);
    }

    private static KvEvent.Key key(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        return new KvEvent.Key(
                KeyBytes.getLong(bytes, 0),
                KeyBytes.getLong(bytes, 8),
                KeyBytes.getLong(bytes, 16),
                KeyBytes.getLong(bytes, 24));
    }

    private static KvEvent.Stored stored(Optional<KvEvent.Key> parent, String key, int... tokens) {
        KvEvent.Block block = new KvEvent.Block(key(key), TokenIds.of(tokens));
        return new KvEvent.Stored(0, parent, List.of(block), Tier.DEVICE, 35);
    }

    private static List<KvEvent> drain(Play p) {
        List<KvEvent> events = new ArrayList<>();
        assertThat(p.kv.drainEvents((id, e) -> events.add(e))).isZero();
        return events;
    }

    private static KvEvent.Gone gone(String key, boolean whole) {
        return new KvEvent.Gone(key(key), Tier.DEVICE, whole);
    }

    @Test
    void aChainOfBlocksIsOneEventAndAGrowingTailIsRemovedAndStored() {
        Play p = Play.full(64, options(100));
        p.play("A", range(1, 7), 500);
        p.play("B", range(1, 9), 500);
        List<Long> ids = new ArrayList<>();
        List<KvEvent> events = new ArrayList<>();
        p.kv.drainEvents((id, e) -> {
            ids.add(id);
            events.add(e);
        });
        assertThat(ids).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(events)
                .containsExactly(
                        new KvEvent.Created(0, 64, 0),
                        stored(Optional.empty(), FIRST, 1, 2, 3, 4),
                        stored(Optional.of(key(FIRST)), PART, 5, 6),
                        new KvEvent.Removed(0, List.of(gone(PART, false))),
                        stored(Optional.of(key(FIRST)), SECOND, 5, 6, 7, 8));

        p.kv.clear();
        assertThat(drain(p))
                .containsExactly(
                        new KvEvent.Removed(0, List.of(gone(SECOND, true), gone(FIRST, true))), new KvEvent.Cleared());
        p.play("C", range(1, 9), 500);
        List<KvEvent> again = drain(p);
        assertThat(again).hasSize(1);
        assertThat(((KvEvent.Stored) again.getFirst()).blocks()).hasSize(2);
    }

    @Test
    void aClearedCacheThatIsStillInUseIsNotSaidToBeEmpty() {
        Play p = Play.full(64, options(100));
        p.play("A", range(1, 7), 500);
        Play.Seq live = p.admit("B", range(1, 6), 500);
        p.prefill(live, 8);
        drain(p);
        assertThat(p.kv.clear()).isFalse();
        assertThat(drain(p)).noneMatch(e -> e instanceof KvEvent.Cleared);
        p.end(live);
        p.kv.clear();
        assertThat(drain(p)).endsWith(new KvEvent.Cleared());
    }

    @Test
    void eventsBelowASaltTellNeitherTheSaltNorAnythingThatItsGuessWouldConfirm() {
        Play p = Play.full(64, options(100));
        int[] prompt = range(1, 9);
        CacheScope alice = CacheScope.salted("alice");
        playScoped(p, alice, prompt);
        playScoped(p, CacheScope.unsalted(), prompt);
        List<KvEvent.Stored> stored = drain(p).stream()
                .filter(KvEvent.Stored.class::isInstance)
                .map(KvEvent.Stored.class::cast)
                .toList();
        assertThat(stored).hasSize(2);
        assertThat(stored.get(0).parent()).isEmpty();
        assertThat(stored.get(1).parent()).isEmpty();
        assertThat(stored.get(1).blocks()).extracting(b -> b.key().hex()).containsExactly(FIRST, SECOND);
        PromptKeys guess = p.keys(prompt, alice);
        for (int b = 0; b < 2; b++) {
            KvEvent.Key name = stored.get(0).blocks().get(b).key();
            for (int w = 0; w < 4; w++) {
                assertThat(List.of(name.word0(), name.word1(), name.word2(), name.word3()))
                        .doesNotContain(guess.keyWord(b, w));
            }
        }
        p.kv.clear();
        KvEvent.Removed removed = (KvEvent.Removed) drain(p).getFirst();
        assertThat(removed.blocks())
                .extracting(KvEvent.Gone::key)
                .as("the same name when it goes as when it came")
                .containsAll(
                        stored.get(0).blocks().stream().map(KvEvent.Block::key).toList());
    }

    private static void playScoped(Play p, CacheScope scope, int[] prompt) {
        Play.Seq s = p.tryAdmit("A", scope, prompt, 500);
        p.prefill(s, 8);
        p.end(s);
    }

    @Test
    void aMovedPageKeepsItsNameAndTellsItsParentAndTokens() {
        RadixTree tree = new RadixTree(4, 1, 8);
        EventBuffer events = new EventBuffer(tree, 10);
        BlockHasher hasher = new BlockHasher();
        byte[] key = new byte[32];
        hasher.root(CacheScope.unsalted(), key);
        int root = tree.addRoot(CacheScope.unsalted(), key);
        hasher.child(key, new int[] {1, 2, 3, 4}, 4);
        int first = tree.insert(root, key, new int[] {1, 2, 3, 4}, 4);
        hasher.child(key, new int[] {5, 6, 7, 8}, 4);
        int second = tree.insert(first, key, new int[] {5, 6, 7, 8}, 4);
        events.stored(first, 0, Tier.DEVICE, 35);
        events.stored(second, 0, Tier.DEVICE, 35);
        events.moved(second, 0, Tier.DEVICE, Tier.HOST);
        events.moved(first, 0, Tier.DEVICE, Tier.HOST);
        events.removed(second, 0, Tier.HOST);
        List<KvEvent> out = new ArrayList<>();
        events.drain((id, e) -> out.add(e));
        KvEvent.Block one = new KvEvent.Block(key(FIRST), TokenIds.of(1, 2, 3, 4));
        KvEvent.Block two = new KvEvent.Block(key(SECOND), TokenIds.of(5, 6, 7, 8));
        assertThat(out)
                .containsExactly(
                        new KvEvent.Stored(0, Optional.empty(), List.of(one, two), Tier.DEVICE, 35),
                        new KvEvent.Moved(0, Optional.of(key(FIRST)), two, Tier.DEVICE, Tier.HOST),
                        new KvEvent.Moved(0, Optional.empty(), one, Tier.DEVICE, Tier.HOST),
                        new KvEvent.Removed(0, List.of(new KvEvent.Gone(key(SECOND), Tier.HOST, true))));
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

    /** R032: what the events say, replayed, is what the cache holds; R139: in whichever tier. */
    @Test
    void aMirrorFedWithEventsHasExactlyTheTreesPages() {
        Seeds.forEach(30, random -> {
            Play p = Play.hybrid(6 + random.nextInt(8), 10 + random.nextInt(20), options(100_000));
            EventMirror mirror = new EventMirror();
            List<int[]> texts = new ArrayList<>(List.of(range(0, 3)));
            for (int i = 0; i < 40; i++) {
                int[] old = texts.get(random.nextInt(texts.size()));
                int[] start = Arrays.copyOf(old, random.nextInt(old.length + 1));
                int more = Math.max(1, Math.min(8, 30 - start.length));
                int[] prompt = join(start, random.ints(more, 0, 3).toArray());
                texts.add(prompt);
                p.playInChunks(
                        8, "A", prompt, random.ints(1 + random.nextInt(5), 0, 3).toArray());
                if (random.nextInt(20) == 0) {
                    p.kv.clear();
                }
                p.kv.drainEvents(mirror);
                assertThat(mirror.pages()).isEqualTo(EventMirror.of(p.kv.cached()));
            }
        });
    }
}
