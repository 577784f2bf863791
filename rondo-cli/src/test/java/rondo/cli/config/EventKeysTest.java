package rondo.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.UserError;
import rondo.server.kvevents.HashAlgorithm;
import rondo.server.kvevents.StreamOptions;

/** The keys of KV events: what they mean, and the text of each way to get them wrong. */
class EventKeysTest {
    private static ServeConfig config(String yaml) {
        return ConfigLoader.parse("serve.yaml", yaml, List.of());
    }

    private static String error(String yaml) {
        return catchThrowableOfType(UserError.class, () -> config(yaml)).getMessage();
    }

    /** A line of {@code kv_events_config}, which is switched on. */
    private static String stream(String line) {
        return "kv_cache_config:\n  kv_events_config:\n    enable_kv_cache_events: true\n    " + line + "\n";
    }

    @Test
    void nobodyIsToldUnlessTheFileSaysSo() {
        ServeConfig.Events none = new ServeConfig.Events(0, HashAlgorithm.V2_SHA256, Optional.empty());
        assertThat(config("").events()).isEqualTo(none);
        assertThat(config("kv_cache_config: {kv_events_config: null}\n").events())
                .isEqualTo(none);
        assertThat(config("kv_cache_config: {kv_events_config: {}}\n").events()).isEqualTo(none);
    }

    @Test
    void aBufferIsASizeAndAHash() {
        assertThat(config("kv_cache_config: {event_buffer_max_size: 16384}\n").events())
                .isEqualTo(new ServeConfig.Events(16384, HashAlgorithm.V2_SHA256, Optional.empty()));
        assertThat(config("kv_cache_config: {event_buffer_max_size: 5, kv_cache_event_hash_algo: v2_sha256_64}\n")
                        .events())
                .isEqualTo(new ServeConfig.Events(5, HashAlgorithm.V2_SHA256_64, Optional.empty()));
    }

    @Test
    void aStreamIsOnTheLoopbackAddressUnlessItIsOpened() {
        assertThat(config(stream("")).events().stream().orElseThrow())
                .isEqualTo(new StreamOptions(
                        "tcp://127.0.0.1:5557",
                        Optional.empty(),
                        10_000,
                        100_000,
                        100_000,
                        "",
                        StreamOptions.Format.TRTLLM,
                        false));
        ServeConfig all = config("""
                kv_cache_config:
                  kv_events_config:
                    enable_kv_cache_events: true
                    publisher: zmq
                    endpoint: "tcp://*:6000"
                    replay_endpoint: tcp://[::1]:6001
                    buffer_steps: 7
                    hwm: 8
                    max_queue_size: 9
                    topic: kv@pod-1@glimmer
                    format: vllm_map
                rondo:
                  kv_events_all_groups: true
                """);
        assertThat(all.events().stream().orElseThrow())
                .isEqualTo(new StreamOptions(
                        "tcp://*:6000",
                        Optional.of("tcp://[::1]:6001"),
                        7,
                        8,
                        9,
                        "kv@pod-1@glimmer",
                        StreamOptions.Format.VLLM_MAP,
                        true));
        assertThat(config(stream("publisher: null")).events().stream()).isPresent();
    }

    @Test
    void eventsAreEitherKeptOrStreamed() {
        assertThat(error("kv_cache_config:\n  event_buffer_max_size: 10\n"
                        + "  kv_events_config: {enable_kv_cache_events: true}\n"))
                .isEqualTo("config: kv_cache_config.event_buffer_max_size=10 conflicts with"
                        + " kv_cache_config.kv_events_config.enable_kv_cache_events: events are either kept or streamed"
                        + " (serve.yaml:2)");
    }

    @Test
    void whatIsNeverCachedHasNoEvents() {
        assertThat(error("kv_cache_config:\n  enable_block_reuse: false\n  event_buffer_max_size: 10\n"))
                .isEqualTo("config: kv_cache_config.event_buffer_max_size=10 needs enable_block_reuse=true"
                        + " (serve.yaml:3)");
        assertThat(error("kv_cache_config:\n  enable_block_reuse: false\n"
                        + "  kv_events_config: {enable_kv_cache_events: true}\n"))
                .isEqualTo("config: kv_cache_config.kv_events_config.enable_kv_cache_events=true needs"
                        + " enable_block_reuse=true (serve.yaml:3)");
    }

    @Test
    void aStreamHasShortHashesAndPositionalEventsHaveNoGroup() {
        assertThat(error("kv_cache_config:\n  kv_cache_event_hash_algo: v2_sha256\n"
                        + "  kv_events_config: {enable_kv_cache_events: true}\n"))
                .isEqualTo("config: kv_cache_config.kv_cache_event_hash_algo=v2_sha256 conflicts with"
                        + " kv_cache_config.kv_events_config.enable_kv_cache_events: the stream names blocks by 64 bits"
                        + " (serve.yaml:2)");
        assertThat(error(stream("format: vllm") + "rondo: {kv_events_all_groups: true}\n"))
                .isEqualTo("config: rondo.kv_events_all_groups=true needs"
                        + " kv_cache_config.kv_events_config.format=trtllm or vllm_map, which tell an event's group"
                        + " (serve.yaml:5)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"5557", "tcp://", "tcp://host", "tcp://host:", "tcp://host:65536", "ipc:///tmp/x", "http://a:1"})
    void anEndpointIsTcpWithHostAndPort(String endpoint) {
        assertThat(error(stream("endpoint: \"" + endpoint + "\"")))
                .startsWith("config: kv_cache_config.kv_events_config.endpoint must be tcp://HOST:PORT, got ")
                .endsWith("(serve.yaml:4)");
        assertThat(error(stream("replay_endpoint: \"" + endpoint + "\"")))
                .startsWith("config: kv_cache_config.kv_events_config.replay_endpoint must be tcp://HOST:PORT, got ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "buffer_steps: 0 | buffer_steps must be >= 1, got 0",
                "hwm: 0 | hwm must be >= 1, got 0",
                "max_queue_size: -1 | max_queue_size must be >= 1, got -1",
                "format: sglang | format must be one of trtllm, vllm, vllm_map, got 'sglang'",
            })
    void wrongValuesAreNamed(String line, String expected) {
        assertThat(error(stream(line)))
                .isEqualTo("config: kv_cache_config.kv_events_config." + expected + " (serve.yaml:4)");
    }

    @Test
    void replaysHaveAnAddressOfTheirOwn() {
        assertThat(error(stream("replay_endpoint: tcp://127.0.0.1:5557")))
                .isEqualTo("config: kv_cache_config.kv_events_config.replay_endpoint must be another address than"
                        + " endpoint, got 'tcp://127.0.0.1:5557' (serve.yaml:4)");
    }

    @Test
    void unknownKeysHaveANearestName() {
        assertThat(error(stream("end_point: tcp://*:1")))
                .isEqualTo("config: kv_cache_config.kv_events_config.end_point is not a known key (serve.yaml:4); did"
                        + " you mean 'endpoint'?");
    }

    @Test
    void aStreamThatIsSetUpAndNotSwitchedOnIsNoticed() {
        assertThat(config("kv_cache_config:\n  kv_events_config:\n    topic: kv@a@b\n")
                        .notices())
                .extracting(Notice::text)
                .containsExactly(
                        "config notice: kv_cache_config.kv_events_config.topic='kv@a@b' has no effect in rondo:"
                                + " enable_kv_cache_events is false (serve.yaml:3)");
    }

    @Test
    void anOldHashIsRefused() {
        assertThat(error("kv_cache_config: {kv_cache_event_hash_algo: v1_block_key}\n"))
                .isEqualTo("config: kv_cache_config.kv_cache_event_hash_algo=v1_block_key is not supported by rondo:"
                        + " only SHA-256 block keys exist (serve.yaml:1)");
    }
}
