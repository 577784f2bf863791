package rondo.server.kvevents;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import rondo.base.Json;
import rondo.base.TokenIds;
import rondo.kv.KvEvent;
import rondo.kv.Tier;
import tools.jackson.core.JsonGenerator;

/** Events as the JSON rows that trtllm-serve answers. */
record EventRows(HashAlgorithm algorithm, CacheShape shape) {
    /** An event with its place in the sequence of all events. */
    record Row(long id, KvEvent event) {}

    byte[] json(List<Row> rows) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256 + 256 * rows.size());
        try (JsonGenerator json = Json.mapper().createGenerator(out)) {
            json.writeStartArray();
            for (Row row : rows) {
                write(json, row);
            }
            json.writeEndArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private void write(JsonGenerator json, Row row) throws IOException {
        json.writeStartObject();
        json.writeNumberProperty("event_id", row.id());
        json.writeObjectPropertyStart("data");
        int lifeCycle = switch (row.event()) {
            case KvEvent.Created e -> created(json, e);
            case KvEvent.Stored e -> stored(json, e);
            case KvEvent.Removed e -> removed(json, e);
            case KvEvent.Moved e -> moved(json, e);
            case KvEvent.Raised e -> raised(json, e);
            case KvEvent.Cleared e -> throw new IllegalStateException("there is no row for it");
        };
        json.writeEndObject();
        json.writeNumberProperty("window_size", shape.windowSize(lifeCycle));
        json.writeNumberProperty("layer_group_id", lifeCycle);
        json.writeStringProperty("hash_algo", algorithm.key());
        json.writeNullProperty("attention_dp_rank");
        json.writeEndObject();
    }

    private static int created(JsonGenerator json, KvEvent.Created e) throws IOException {
        json.writeStringProperty("type", "created");
        json.writeArrayPropertyStart("num_blocks_per_cache_level");
        json.writeNumber(e.deviceBlocks());
        json.writeNumber(e.hostBlocks());
        json.writeEndArray();
        return e.lifeCycle();
    }

    private int stored(JsonGenerator json, KvEvent.Stored e) throws IOException {
        json.writeStringProperty("type", "stored");
        json.writeName("parent_hash");
        key(json, e.parent());
        json.writeArrayPropertyStart("blocks");
        for (KvEvent.Block block : e.blocks()) {
            block(json, block, e);
        }
        json.writeEndArray();
        return e.lifeCycle();
    }

    private void block(JsonGenerator json, KvEvent.Block block, KvEvent.Stored e) throws IOException {
        json.writeStartObject();
        json.writeStringProperty("type", "stored_block");
        json.writeName("block_hash");
        algorithm.write(json, block.key());
        json.writeArrayPropertyStart("tokens");
        TokenIds tokens = block.tokens();
        for (int i = 0; i < tokens.length(); i++) {
            json.writeStartObject();
            json.writeStringProperty("type", "unique_token");
            json.writeNumberProperty("token_id", tokens.get(i));
            json.writeNumberProperty("token_extra_id", 0);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberProperty("cache_level", level(e.tier()));
        json.writeNumberProperty("priority", e.priority());
        json.writeArrayPropertyStart("mm_keys");
        json.writeEndArray();
        json.writeNullProperty("cache_salt"); // whoever reads this must not learn it
        json.writeEndObject();
    }

    private int removed(JsonGenerator json, KvEvent.Removed e) throws IOException {
        json.writeStringProperty("type", "removed");
        json.writeArrayPropertyStart("block_hashes");
        for (KvEvent.Gone gone : e.blocks()) {
            algorithm.write(json, gone.key());
        }
        json.writeEndArray();
        return e.lifeCycle();
    }

    private int moved(JsonGenerator json, KvEvent.Moved e) throws IOException {
        json.writeStringProperty("type", "updated");
        json.writeName("block_hash");
        algorithm.write(json, e.block().key());
        difference(json, "cache_level", level(e.from()), level(e.to()));
        json.writeNullProperty("priority");
        return e.lifeCycle();
    }

    private int raised(JsonGenerator json, KvEvent.Raised e) throws IOException {
        json.writeStringProperty("type", "updated");
        json.writeName("block_hash");
        algorithm.write(json, e.key());
        json.writeNullProperty("cache_level");
        difference(json, "priority", e.from(), e.to());
        return e.lifeCycle();
    }

    private static void difference(JsonGenerator json, String name, int from, int to) throws IOException {
        json.writeObjectPropertyStart(name);
        json.writeStringProperty("type", "event_diff");
        json.writeNumberProperty("new_value", to);
        json.writeNumberProperty("old_value", from);
        json.writeEndObject();
    }

    private void key(JsonGenerator json, Optional<KvEvent.Key> key) throws IOException {
        if (key.isPresent()) {
            algorithm.write(json, key.get());
        } else {
            json.writeNull();
        }
    }

    private static int level(Tier tier) {
        return switch (tier) {
            case DEVICE -> 0;
            case HOST -> 1;
        };
    }
}
