package rondo.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TokenIdsTest {
    @Test
    void behavesLikeAnArrayUnderRandomAppendsAndPrefixes() {
        Seeds.forEach(30, random -> {
            int[] plain = new int[0];
            TokenIds ids = TokenIds.empty();
            for (int step = 0; step < 30; step++) {
                if (random.nextInt(4) == 0) {
                    int cut = random.nextInt(plain.length + 1);
                    plain = Arrays.copyOf(plain, cut);
                    ids = ids.prefix(cut);
                } else {
                    int[] more = random.ints(random.nextInt(TokenIds.CHUNK)).toArray();
                    int old = plain.length;
                    plain = Arrays.copyOf(plain, old + more.length);
                    System.arraycopy(more, 0, plain, old, more.length);
                    ids = ids.append(more, 0, more.length);
                }
                assertThat(ids.toArray()).isEqualTo(plain);
                if (plain.length > 0) {
                    int at = random.nextInt(plain.length);
                    assertThat(ids.get(at)).isEqualTo(plain[at]);
                    int[] part = new int[random.nextInt(plain.length - at) + 1];
                    ids.copy(at, part, 0, part.length);
                    assertThat(part).isEqualTo(Arrays.copyOfRange(plain, at, at + part.length));
                }
                assertThat(ids).isEqualTo(TokenIds.of(plain));
            }
        });
    }

    @Test
    void aPrefixNeverSeesWhatWasAppendedToAnother() {
        TokenIds base = TokenIds.of(1, 2, 3);
        TokenIds a = base.append(new int[] {4}, 0, 1);
        TokenIds b = base.append(new int[] {5}, 0, 1);
        assertThat(a.toArray()).containsExactly(1, 2, 3, 4);
        assertThat(b.toArray()).containsExactly(1, 2, 3, 5);
        assertThat(a.commonPrefix(b)).isEqualTo(3);
        assertThatThrownBy(() -> base.get(3)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
