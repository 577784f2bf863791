package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.base.TokenIds;

/** The hash chain; the golden digests are those of kv-cache.md §3.3. */
class BlockKeysTest {
    private final BlockHasher hasher = new BlockHasher();

    @Test
    void unsaltedGolden() {
        byte[] key = new byte[32];
        hasher.root(CacheScope.unsalted(), key);
        assertThat(hex(key)).isEqualTo("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
        hasher.child(key, new int[] {1, 2, 3, 4}, 4);
        assertThat(hex(key)).isEqualTo("e432228522a304ab556d66e6e40979ad05575f28b19b554264dd3c6277aaf073");
        byte[] partial = key.clone();
        hasher.child(key, new int[] {5, 6, 7, 8}, 4);
        assertThat(hex(key)).isEqualTo("756b1d258c63ccc0cbd6284ab33b043c81175086163f9d2821f5764079efb75c");
        hasher.child(partial, new int[] {5, 6, 99, 99}, 2);
        assertThat(hex(partial)).isEqualTo("7fabfb79be197b116ecec3a823a33b6cf1597e2d2a662f43165da8d2c118116d");
    }

    @Test
    void saltedGolden() {
        byte[] key = new byte[32];
        hasher.root(CacheScope.salted("alice"), key);
        assertThat(hex(key)).isEqualTo("11d2e0647a7702154d74a2909e090a2b43373948f1eccc06fd18d9c946fb5315");
        hasher.child(key, new int[] {1, 2, 3, 4}, 4);
        assertThat(hex(key)).isEqualTo("320d9ef1e2f41c4b47998e4c46b23d54b5fb1d76044f4460ee7b09844208b4d9");
    }

    @Test
    void promptKeysAreTheGoldenChain() {
        PromptKeys keys = PromptKeys.of(TokenIds.of(1, 2, 3, 4, 5, 6, 7, 8, 9), CacheScope.unsalted(), 4);
        assertThat(keys.fullBlocks()).isEqualTo(2);
        assertThat(keys.keyWord(0, 0)).isEqualTo(0xe432228522a304abL);
        assertThat(keys.keyWord(1, 3)).isEqualTo(0x21f5764079efb75cL);
    }

    @Test
    void extendingAndAppendingGiveTheKeysOfTheWhole() {
        Seeds.forEach(20, random -> {
            int b = 1 << (1 + random.nextInt(4));
            int[] ids = random.ints(random.nextInt(3000), 0, 50).toArray();
            PromptKeys whole = PromptKeys.of(TokenIds.of(ids), CacheScope.unsalted(), b);
            int cut = random.nextInt(ids.length + 1);
            TokenIds first = TokenIds.of(ids).prefix(cut);
            PromptKeys start = PromptKeys.of(first, CacheScope.unsalted(), b);
            same(start.extend(TokenIds.of(ids)), whole);
            SequenceKeys running = new SequenceKeys(start, ids.length - cut);
            for (int i = cut; i < ids.length; i++) {
                running.append(ids[i]);
            }
            same(running, whole);
        });
    }

    private static void same(BlockKeys a, BlockKeys b) {
        assertThat(a.tokens()).isEqualTo(b.tokens());
        assertThat(a.fullBlocks()).isEqualTo(b.fullBlocks());
        for (int i = 0; i < a.fullBlocks(); i++) {
            for (int w = 0; w < 4; w++) {
                assertThat(a.keyWord(i, w)).isEqualTo(b.keyWord(i, w));
            }
        }
    }

    private static String hex(byte[] key) {
        return HexFormat.of().formatHex(key);
    }

    @Test
    void theDigestWithoutAllocationIsThatOfTheJdk() {
        Seeds.forEach(300, random -> {
            int[] tokens = random.ints(random.nextInt(200)).toArray();
            byte[] key = new byte[32];
            random.nextBytes(key);
            byte[] other = key.clone();
            new BlockHasher().child(key, tokens, tokens.length);
            new BlockHasher().withoutAllocation().child(other, tokens, tokens.length);
            assertThat(other).isEqualTo(key);
        });
    }
}
