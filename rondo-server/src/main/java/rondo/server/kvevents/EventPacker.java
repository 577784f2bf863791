package rondo.server.kvevents;

import java.util.List;
import java.util.Optional;
import rondo.base.TokenIds;
import rondo.kv.KvEvent;
import rondo.kv.Tier;

/** Batches of events as the payloads that routers decode, in one of three forms. One thread's own. */
final class EventPacker {
    private static final int RANK = 0;

    private final StreamOptions.Format format;
    private final CacheShape shape;
    private final Msgpack out = new Msgpack();

    EventPacker(StreamOptions.Format format, CacheShape shape) {
        this.format = format;
        this.shape = shape;
    }

    /** @param seconds since 1970 */
    byte[] pack(double seconds, List<WireEvent> events) {
        out.array(3).real(seconds).array(events.size());
        for (WireEvent event : events) {
            switch (event) {
                case WireEvent.Stored e -> stored(e);
                case WireEvent.Removed e -> removed(e);
                case WireEvent.Cleared e -> head("AllBlocksCleared", 0);
            }
        }
        return out.number(RANK).take();
    }

    private void stored(WireEvent.Stored e) {
        head(
                "BlockStored",
                switch (format) {
                    case VLLM -> 6;
                    case TRTLLM -> 7;
                    case VLLM_MAP -> shape.isFull(e.group()) ? 9 : 10;
                });
        name("block_hashes").array(e.blocks().size());
        for (KvEvent.Block block : e.blocks()) {
            out.number(block.key().first64());
        }
        name("parent_block_hash");
        Optional<KvEvent.Key> parent = e.parent();
        if (parent.isPresent()) {
            out.number(parent.get().first64());
        } else {
            out.nil();
        }
        name("token_ids");
        tokens(e.blocks());
        name("block_size").number(shape.tokensPerBlock());
        name("lora_id").nil();
        name("medium").text(medium(e.tier()));
        switch (format) {
            case VLLM -> {}
            case TRTLLM -> name("group_idx").number(e.group());
            case VLLM_MAP -> {
                name("lora_name").nil();
                name("group_idx").number(e.group());
                boolean full = shape.isFull(e.group());
                name("kv_cache_spec_kind").text(full ? "full_attention" : "sliding_window");
                if (!full) {
                    name("kv_cache_spec_sliding_window").number(shape.windowSize(e.group()));
                }
            }
        }
    }

    private void tokens(List<KvEvent.Block> blocks) {
        int count = 0;
        for (KvEvent.Block block : blocks) {
            count += block.tokens().length();
        }
        out.array(count);
        for (KvEvent.Block block : blocks) {
            TokenIds tokens = block.tokens();
            for (int i = 0; i < tokens.length(); i++) {
                out.number(tokens.get(i));
            }
        }
    }

    private void removed(WireEvent.Removed e) {
        head("BlockRemoved", format == StreamOptions.Format.VLLM ? 2 : 3);
        name("block_hashes").array(e.keys().size());
        for (KvEvent.Key key : e.keys()) {
            out.number(key.first64());
        }
        name("medium").text(medium(e.tier()));
        if (format != StreamOptions.Format.VLLM) {
            name("group_idx").number(e.group());
        }
    }

    /** The kind of an event with so many fields. */
    private void head(String kind, int fields) {
        if (format == StreamOptions.Format.VLLM) {
            out.array(1 + fields).text(kind);
        } else {
            out.map(1 + fields).text("type").text(kind);
        }
    }

    /** The name of a field, where fields have names. */
    private Msgpack name(String name) {
        return format == StreamOptions.Format.VLLM ? out : out.text(name);
    }

    private static String medium(Tier tier) {
        return switch (tier) {
            case DEVICE -> "GPU";
            case HOST -> "CPU";
        };
    }
}
