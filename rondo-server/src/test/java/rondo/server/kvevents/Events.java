package rondo.server.kvevents;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import rondo.base.TokenIds;
import rondo.kv.KvEvent;
import rondo.kv.Tier;

/** Events by hand; keys are those of kv-cache.md §3, blocks of 4. */
final class Events {
    static final String FIRST_HEX = "e432228522a304ab556d66e6e40979ad05575f28b19b554264dd3c6277aaf073";
    static final String SECOND_HEX = "756b1d258c63ccc0cbd6284ab33b043c81175086163f9d2821f5764079efb75c";
    static final String PART_HEX = "7fabfb79be197b116ecec3a823a33b6cf1597e2d2a662f43165da8d2c118116d";
    static final KvEvent.Block FIRST = block(FIRST_HEX, 1, 2, 3, 4);
    static final KvEvent.Block SECOND = block(SECOND_HEX, 5, 6, 7, 8);
    static final KvEvent.Block PART = block(PART_HEX, 5, 6);
    /** Life cycle 0 slides, 1 is full. */
    static final CacheShape HYBRID = new CacheShape(4, 512, List.of(8, 0));

    private Events() {}

    static KvEvent.Key key(String hex) {
        return new KvEvent.Key(word(hex, 0), word(hex, 1), word(hex, 2), word(hex, 3));
    }

    private static long word(String hex, int word) {
        return HexFormat.fromHexDigitsToLong(hex, 16 * word, 16 * word + 16);
    }

    static KvEvent.Block block(String hex, int... tokens) {
        return new KvEvent.Block(key(hex), TokenIds.of(tokens));
    }

    /** A block that nobody else has. */
    static KvEvent.Block numbered(long n) {
        return new KvEvent.Block(new KvEvent.Key(n, 0, 0, 0), TokenIds.of(1, 2, 3, (int) n));
    }

    static KvEvent.Stored stored(int lifeCycle, KvEvent.Block... blocks) {
        return new KvEvent.Stored(lifeCycle, Optional.empty(), List.of(blocks), Tier.DEVICE, 35);
    }

    static KvEvent.Stored storedBelow(int lifeCycle, KvEvent.Block parent, KvEvent.Block... blocks) {
        return new KvEvent.Stored(lifeCycle, Optional.of(parent.key()), List.of(blocks), Tier.DEVICE, 35);
    }

    static KvEvent.Removed removed(int lifeCycle, Tier tier, KvEvent.Block... blocks) {
        return new KvEvent.Removed(
                lifeCycle,
                List.of(blocks).stream()
                        .map(b -> new KvEvent.Gone(b.key(), tier, b.tokens().length() == 4))
                        .toList());
    }

    static KvEvent.Moved moved(int lifeCycle, KvEvent.Block block, Tier from, Tier to) {
        return new KvEvent.Moved(lifeCycle, Optional.empty(), block, from, to);
    }
}
