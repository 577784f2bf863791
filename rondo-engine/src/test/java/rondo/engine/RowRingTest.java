package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import rondo.base.Threads;

class RowRingTest {
    private static void add(RowRing ring, int count, long from) {
        for (long i = from; i < from + count; i++) {
            ring.add(new long[] {i, -i, 3 * i}, "r" + i);
        }
    }

    private static List<Long> firsts(List<RowRing.Row> rows) {
        return rows.stream().map(r -> r.values()[0]).toList();
    }

    @Test
    void aDrainGivesEachRowOnceOldestFirst() {
        RowRing ring = new RowRing(3, 10, true);
        assertThat(ring.drain()).isEmpty();
        add(ring, 4, 0);
        List<RowRing.Row> rows = ring.drain();
        assertThat(firsts(rows)).containsExactly(0L, 1L, 2L, 3L);
        assertThat(rows.get(2).label()).isEqualTo("r2");
        assertThat(rows.get(2).values()).containsExactly(2, -2, 6);
        assertThat(ring.drain()).isEmpty();
        add(ring, 1, 4);
        assertThat(firsts(ring.drain())).containsExactly(4L);
    }

    @Test
    void whenNobodyReadsTheOldestGo() {
        RowRing ring = new RowRing(3, 10, false);
        add(ring, 25, 0);
        assertThat(firsts(ring.drain())).containsExactly(15L, 16L, 17L, 18L, 19L, 20L, 21L, 22L, 23L, 24L);
    }

    @Test
    void aRingOfNoRowsKeepsOne() {
        RowRing ring = new RowRing(3, 0, false);
        add(ring, 3, 0);
        assertThat(firsts(ring.drain())).containsExactly(2L);
    }

    @Test
    void aRingWithoutABoundKeepsAll() {
        RowRing ring = new RowRing(3, -1, true);
        add(ring, 1000, 0);
        assertThat(ring.drain()).hasSize(1000);
        add(ring, 5000, 1000);
        List<RowRing.Row> rows = ring.drain();
        assertThat(rows).hasSize(5000);
        for (int i = 0; i < 5000; i++) {
            assertThat(rows.get(i).values()[2]).isEqualTo(3L * (1000 + i));
            assertThat(rows.get(i).label()).isEqualTo("r" + (1000 + i));
        }
    }

    @Test
    void rowsReadWhileOthersAreWrittenAreWholeAndInOrder() throws Exception {
        for (int keep : new int[] {7, -1}) {
            RowRing ring = new RowRing(3, keep, false);
            int count = 200_000;
            CountDownLatch done = new CountDownLatch(1);
            Thread writer = Threads.start("row-writer", () -> {
                add(ring, count, 0);
                done.countDown();
            });
            List<RowRing.Row> all = new ArrayList<>();
            while (done.getCount() > 0) {
                all.addAll(ring.drain());
            }
            writer.join();
            all.addAll(ring.drain());
            long before = -1;
            for (RowRing.Row row : all) {
                long n = row.values()[0];
                assertThat(n).isGreaterThan(before).isEqualTo(row.number());
                assertThat(row.values()).containsExactly(n, -n, 3 * n);
                before = n;
            }
            assertThat(before).isEqualTo(count - 1);
            if (keep < 0) {
                assertThat(all).hasSize(count);
            }
        }
    }

    @Test
    void numbersThatBelongTogetherAreReadTogether() throws Exception {
        NumberBoard board = new NumberBoard(5);
        CountDownLatch done = new CountDownLatch(1);
        Thread writer = Threads.start("board-writer", () -> {
            long[] row = new long[5];
            for (long i = 1; i < 200_000; i++) {
                java.util.Arrays.fill(row, i);
                board.post(row);
            }
            done.countDown();
        });
        long before = 0;
        while (done.getCount() > 0) {
            long[] read = board.read();
            assertThat(read).containsOnly(read[0]);
            assertThat(read[0]).isGreaterThanOrEqualTo(before);
            before = read[0];
        }
        writer.join();
    }
}
