package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

class SiblingsTest {
    private static final int B = 4;

    @Test
    void theLongestRunAmongWholeChildrenIsFoundAndTiesGoToTheOneUsedLast() {
        Seeds.forEach(40, random -> {
            RadixTree tree = new RadixTree(B, 1, 4);
            int root = tree.addRoot(CacheScope.unsalted(), new byte[32]);
            Map<Integer, Long> used = new HashMap<>();
            List<Integer> nodes = new ArrayList<>();
            long clock = 0;
            for (int i = 0; i < 400; i++) {
                int node = nodes.isEmpty() ? -1 : nodes.get(random.nextInt(nodes.size()));
                switch (random.nextInt(6)) {
                    case 0 -> {
                        if (node >= 0) {
                            nodes.remove((Integer) node);
                            tree.remove(node);
                        }
                    }
                    case 1 -> {
                        if (node >= 0) {
                            tree.siblings.setWhole(root, node, random.nextBoolean());
                        }
                    }
                    case 2 -> {
                        if (node >= 0) {
                            tree.siblings.touch(root, node);
                            used.put(node, ++clock);
                        }
                    }
                    default -> {
                        int[] tokens = tokens(random, B);
                        if (nodes.stream().noneMatch(n -> Arrays.equals(of(tree, n), tokens))) {
                            byte[] key = new byte[32];
                            KeyBytes.putLong(key, 0, random.nextLong());
                            int added = tree.insert(root, key, tokens, B);
                            nodes.add(added);
                            used.put(added, ++clock);
                            tree.siblings.setWhole(root, added, random.nextInt(4) > 0);
                        }
                    }
                }
                int[] asked = tokens(random, 1 + random.nextInt(B));
                int best = -1;
                int run = 0;
                int any = 0;
                for (int n : nodes) {
                    int mismatch = Arrays.mismatch(asked, of(tree, n));
                    int common = mismatch < 0 ? asked.length : mismatch;
                    any = Math.max(any, common);
                    boolean better = common > run || (common == run && run > 0 && used.get(n) > used.get(best));
                    if (tree.siblings.isWhole(n) && better) {
                        best = n;
                        run = common;
                    }
                }
                assertThat(tree.siblings.closestWhole(root, asked, asked.length))
                        .isEqualTo(best);
                assertThat(tree.siblings.run()).isEqualTo(run);
                tree.siblings.closest(root, asked, asked.length);
                assertThat(tree.siblings.run()).isEqualTo(any);
            }
        });
    }

    private static int[] tokens(SplittableRandom random, int count) {
        return random.ints(count, 0, 4).toArray();
    }

    private static int[] of(RadixTree tree, int node) {
        return Arrays.copyOfRange(tree.tokens, node * B, node * B + tree.length[node]);
    }
}
