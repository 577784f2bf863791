package rondo.cli.config;

import java.util.List;
import java.util.regex.Pattern;

/** What must hold between the keys of KV events: one way at most, and one that works. */
final class EventRules {
    private static final String KV = "kv_cache_config.";
    private static final String STREAM = KV + "kv_events_config.";
    private static final String BUFFER = KV + "event_buffer_max_size";
    private static final String HASHES = KV + "kv_cache_event_hash_algo";
    private static final String ALL_GROUPS = "rondo.kv_events_all_groups";
    /** A name, an IPv4 address, an IPv6 address in brackets or every address; a port or any. */
    private static final Pattern TCP =
            Pattern.compile("tcp://(\\*|[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(:(\\*|[0-9]{1,5}))");

    private static final int LAST_PORT = 65_535;

    private final Settings settings;
    private final Problems problems;

    private EventRules(Settings settings, Problems problems) {
        this.settings = settings;
        this.problems = problems;
    }

    static void check(Settings settings, Problems problems) {
        EventRules rules = new EventRules(settings, problems);
        rules.reuse();
        rules.endpoint("endpoint");
        rules.endpoint("replay_endpoint");
        if (settings.bool(STREAM + "enable_kv_cache_events")) {
            rules.stream();
        } else {
            rules.unused();
        }
    }

    /** Rule 9: what is never cached has no events. */
    private void reuse() {
        if (settings.bool(KV + "enable_block_reuse")) {
            return;
        }
        if (settings.integer(BUFFER) > 0) {
            needs(BUFFER, "enable_block_reuse=true");
        }
        if (settings.bool(STREAM + "enable_kv_cache_events")) {
            needs(STREAM + "enable_kv_cache_events", "enable_block_reuse=true");
        }
    }

    private void stream() {
        Setting buffer = settings.get(BUFFER);
        if (settings.integer(BUFFER) > 0) {
            problems.conflict(
                    buffer.origin(),
                    BUFFER + "=" + buffer.show(),
                    STREAM + "enable_kv_cache_events",
                    "events are either kept or streamed");
        }
        if (settings.text(HASHES).equals("v2_sha256")) {
            problems.conflict(
                    settings.get(HASHES).origin(),
                    HASHES + "=v2_sha256",
                    STREAM + "enable_kv_cache_events",
                    "the stream names blocks by 64 bits");
        }
        if (settings.bool(ALL_GROUPS) && settings.text(STREAM + "format").equals("vllm")) {
            needs(ALL_GROUPS, STREAM + "format=trtllm or vllm_map, which tell an event's group");
        }
        if (settings.optionalText(STREAM + "replay_endpoint")
                .filter(settings.text(STREAM + "endpoint")::equals)
                .isPresent()) {
            Setting replay = settings.get(STREAM + "replay_endpoint");
            problems.mustBe(replay.origin(), replay.path(), "another address than endpoint", replay.show());
        }
    }

    private void endpoint(String key) {
        Setting setting = settings.get(STREAM + key);
        if (setting.isSet()) {
            var parts = TCP.matcher(settings.text(setting.path()));
            boolean ok =
                    parts.matches() && (parts.group(3).equals("*") || Integer.parseInt(parts.group(3)) <= LAST_PORT);
            if (!ok) {
                problems.mustBe(setting.origin(), setting.path(), "tcp://HOST:PORT", setting.show());
            }
        }
    }

    /** Somebody has set up a stream and not switched it on. */
    private void unused() {
        for (String key : List.of("publisher", "endpoint", "replay_endpoint", "topic", "format")) {
            Setting setting = settings.get(STREAM + key);
            if (!setting.isDefault() && setting.isSet()) {
                problems.noEffect(setting.origin(), setting.path(), setting.show(), "enable_kv_cache_events is false");
            }
        }
    }

    private void needs(String path, String what) {
        Setting setting = settings.get(path);
        problems.add(setting.origin(), path + "=" + setting.show() + " needs " + what);
    }
}
