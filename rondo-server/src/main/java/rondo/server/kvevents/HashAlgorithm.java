package rondo.server.kvevents;

import java.io.IOException;
import rondo.kv.KvEvent;
import tools.jackson.core.JsonGenerator;

/** How a block's key is written: {@code kv_cache_event_hash_algo}. */
public enum HashAlgorithm {
    /** The whole digest, 64 hexadecimal digits. */
    V2_SHA256("v2_sha256"),
    /** Its first 8 bytes, big-endian, as a signed number. */
    V2_SHA256_64("v2_sha256_64");

    private final String key;

    HashAlgorithm(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }

    void write(JsonGenerator json, KvEvent.Key name) throws IOException {
        if (this == V2_SHA256) {
            json.writeString(name.hex());
        } else {
            json.writeNumber(name.first64());
        }
    }
}
