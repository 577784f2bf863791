package rondo.server.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import rondo.kv.KvEvent;
import rondo.kv.Tier;
import tools.jackson.databind.JsonNode;

class EventRowsTest {
    private static final String TAIL = "\"hash_algo\":\"v2_sha256\",\"attention_dp_rank\":null}";

    private static BufferedKvEvents buffer(int limit, HashAlgorithm algorithm) {
        return new BufferedKvEvents(limit, algorithm, Events.HYBRID);
    }

    private static String rows(BufferedKvEvents buffer, KvEvent... events) {
        long id = 0;
        for (KvEvent e : events) {
            buffer.accept(id++, e);
        }
        buffer.stepEnded(0);
        return new String(buffer.drain(), StandardCharsets.UTF_8);
    }

    /** The rows of kv-cache.md §11.1, to the letter. */
    @Test
    void rowsAreWhatTrtllmServeAnswers() {
        String token = "{\"type\":\"unique_token\",\"token_id\":%d,\"token_extra_id\":0}";
        String tokens = token.formatted(5) + "," + token.formatted(6);
        assertThat(rows(
                        buffer(10, HashAlgorithm.V2_SHA256),
                        new KvEvent.Created(1, 64, 32),
                        Events.storedBelow(1, Events.FIRST, Events.PART),
                        Events.removed(0, Tier.DEVICE, Events.SECOND, Events.FIRST),
                        Events.moved(1, Events.FIRST, Tier.DEVICE, Tier.HOST),
                        new KvEvent.Raised(0, Events.FIRST.key(), 0, 70)))
                .isEqualTo("[{\"event_id\":0,\"data\":{\"type\":\"created\",\"num_blocks_per_cache_level\":[64,32]},"
                        + "\"window_size\":512,\"layer_group_id\":1," + TAIL
                        + ",{\"event_id\":1,\"data\":{\"type\":\"stored\",\"parent_hash\":\"" + Events.FIRST_HEX
                        + "\",\"blocks\":[{\"type\":\"stored_block\",\"block_hash\":\"" + Events.PART_HEX
                        + "\",\"tokens\":[" + tokens + "],\"cache_level\":0,\"priority\":35,\"mm_keys\":[],"
                        + "\"cache_salt\":null}]},\"window_size\":512,\"layer_group_id\":1," + TAIL
                        + ",{\"event_id\":2,\"data\":{\"type\":\"removed\",\"block_hashes\":[\"" + Events.SECOND_HEX
                        + "\",\"" + Events.FIRST_HEX + "\"]},\"window_size\":8,\"layer_group_id\":0," + TAIL
                        + ",{\"event_id\":3,\"data\":{\"type\":\"updated\",\"block_hash\":\"" + Events.FIRST_HEX
                        + "\",\"cache_level\":{\"type\":\"event_diff\",\"new_value\":1,\"old_value\":0},"
                        + "\"priority\":null},\"window_size\":512,\"layer_group_id\":1," + TAIL
                        + ",{\"event_id\":4,\"data\":{\"type\":\"updated\",\"block_hash\":\"" + Events.FIRST_HEX
                        + "\",\"cache_level\":null,\"priority\":{\"type\":\"event_diff\",\"new_value\":70,"
                        + "\"old_value\":0}},\"window_size\":8,\"layer_group_id\":0," + TAIL + "]");
    }

    @Test
    void shortHashesAreSignedNumbersOfTheFirstEightBytes() {
        JsonNode rows = Json.mapper()
                .readTree(rows(
                        buffer(10, HashAlgorithm.V2_SHA256_64),
                        Events.stored(1, Events.FIRST, Events.SECOND),
                        Events.removed(1, Tier.DEVICE, Events.FIRST)));
        assertThat(rows.at("/0/hash_algo").stringValue()).isEqualTo("v2_sha256_64");
        assertThat(rows.at("/0/data/parent_hash").isNull()).isTrue();
        assertThat(rows.at("/0/data/blocks/0/block_hash").longValue()).isEqualTo(0xe432228522a304abL);
        assertThat(rows.at("/0/data/blocks/0/block_hash").longValue()).isNegative();
        assertThat(rows.at("/0/data/blocks/1/block_hash").longValue()).isEqualTo(0x756b1d258c63ccc0L);
        assertThat(rows.at("/1/data/block_hashes/0").longValue()).isEqualTo(0xe432228522a304abL);
    }

    @Test
    void aRowIsGivenOnceAndAClearedCacheIsToldByItsRemovals() {
        BufferedKvEvents buffer = buffer(10, HashAlgorithm.V2_SHA256);
        buffer.accept(0, Events.stored(1, Events.FIRST));
        buffer.accept(1, Events.removed(1, Tier.DEVICE, Events.FIRST));
        buffer.accept(2, new KvEvent.Cleared());
        buffer.accept(3, Events.stored(1, Events.FIRST));
        assertThat(ids(buffer)).containsExactly(0, 1, 2);
        assertThat(buffer.drain()).asString(StandardCharsets.UTF_8).isEqualTo("[]");
        buffer.accept(4, Events.stored(1, Events.SECOND));
        assertThat(ids(buffer)).containsExactly(3);
        assertThat(buffer.counts()).isEqualTo(new KvEvents.Counts(4, 0));
    }

    @Test
    void aFullBufferLosesItsOldestCountsThemAndLeavesAGapInTheIds() {
        BufferedKvEvents buffer = buffer(3, HashAlgorithm.V2_SHA256);
        for (int i = 0; i < 10; i++) {
            buffer.accept(i, Events.stored(1, Events.numbered(i)));
        }
        assertThat(ids(buffer)).containsExactly(7, 8, 9);
        assertThat(buffer.counts()).isEqualTo(new KvEvents.Counts(10, 7));
    }

    @Test
    void whatTheCacheItselfHasLostIsAGapToo() {
        BufferedKvEvents buffer = buffer(10, HashAlgorithm.V2_SHA256);
        buffer.accept(0, Events.stored(1, Events.FIRST));
        buffer.accept(6, Events.stored(1, Events.SECOND));
        buffer.stepEnded(5);
        assertThat(ids(buffer)).containsExactly(0, 6);
        assertThat(buffer.counts()).isEqualTo(new KvEvents.Counts(7, 5));
    }

    private static int[] ids(BufferedKvEvents buffer) {
        JsonNode rows = Json.mapper().readTree(buffer.drain());
        int[] ids = new int[rows.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = rows.get(i).get("event_id").intValue();
        }
        return ids;
    }
}
