package rondo.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.UserError;

/** The keys of the operator's side: who may ask, what is measured, what the environment says. */
class OperatorKeysTest {
    @TempDir
    Path directory;

    private static ServeConfig parse(String text) {
        return ConfigLoader.parse("serve.yaml", text, List.of());
    }

    private static String errors(String text) {
        Throwable fault = catchThrowable(() -> parse(text));
        assertThat(fault).isInstanceOf(UserError.class);
        return String.valueOf(fault.getMessage());
    }

    private Path keys(String permissions) throws IOException {
        Path file = Files.writeString(directory.resolve("keys"), "one\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void theyArriveInTheTypedResult() throws IOException {
        Path keys = keys("rw-------");
        ServeConfig config = parse("""
                skip_tokenizer_init: true
                batch_wait_timeout_ms: 2.5
                env_overrides:
                  RONDO_LOG_LEVEL: debug
                  RONDO_PREFIX_TOKEN_CACHE: '1'
                  RONDO_PREFIX_TOKEN_CACHE_ENTRIES: 7
                  TLLM_PREFIX_TOKEN_CACHE_ENTRIES: 9
                  TLLM_PREFIX_TOKEN_CACHE_MIN_CHARS: '100'
                prometheus_metrics_config:
                  time_to_first_token_seconds: [0.5, 1, 2]
                rondo:
                  api_keys_file: %s
                  drain_timeout_ms: 1_500
                  allow_request_chat_template: true
                  cors_origins: ['https://app.example.com', 'http://[::1]:3000', 'vscode-webview://abc']
                """.formatted(keys));
        assertThat(config.operator())
                .isEqualTo(new ServeConfig.Operator(
                        java.util.Optional.of(keys),
                        List.of("https://app.example.com", "http://[::1]:3000", "vscode-webview://abc"),
                        Map.of("time_to_first_token_seconds", List.of(0.5, 1.0, 2.0)),
                        Map.of(
                                "RONDO_LOG_LEVEL", "debug",
                                "RONDO_PREFIX_TOKEN_CACHE", "1",
                                "RONDO_PREFIX_TOKEN_CACHE_ENTRIES", "7",
                                "RONDO_PREFIX_TOKEN_CACHE_MIN_CHARS", "100"),
                        true,
                        true,
                        Duration.ofMillis(1500)));
        assertThat(config.notices()).isEmpty();
        assertThat(config.scheduling().batchWaitMicros()).isEqualTo(2500);
        assertThat(parse("").operator().buckets()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            custom_tokenizer: deepseek_v32 | config: custom_tokenizer must be one of auto, huggingface, got 'deepseek_v32' (serve.yaml:1)
            batch_wait_timeout_ms: 60001 | config: batch_wait_timeout_ms must be >= 0 and <= 60000, got 60001 (serve.yaml:1)
            max_stats_len: 2147483647 | config: max_stats_len must be <= 1000000 (to keep all, say -1), got 2147483647 (serve.yaml:1)
            max_batch_size: 65537 | config: max_batch_size must be <= 65536 (one engine keeps no more), got 65537 (serve.yaml:1)
            rondo: {max_request_bytes: 2GiB} | config: rondo.max_request_bytes must be <= 1073741824 (a body is held in memory), got '2GiB' (serve.yaml:1)
            {skip_tokenizer_init: true, tool_parser: hermes} | config: skip_tokenizer_init=true conflicts with tool_parser: calls are found in text (serve.yaml:1)
            env_overrides: {PATH: x} | config: env_overrides.PATH is not a known key (serve.yaml:1); keys here: RONDO_LOG_LEVEL, RONDO_PREFIX_TOKEN_CACHE, RONDO_PREFIX_TOKEN_CACHE_ENTRIES, RONDO_PREFIX_TOKEN_CACHE_MAX_CHARS, RONDO_PREFIX_TOKEN_CACHE_MIN_CHARS, TLLM_LOG_LEVEL, TLLM_PREFIX_TOKEN_CACHE, TLLM_PREFIX_TOKEN_CACHE_ENTRIES
            env_overrides: {RONDO_PREFIX_TOKEN_CACHE_ENTRIES: abc} | config: env_overrides.RONDO_PREFIX_TOKEN_CACHE_ENTRIES must be a positive integer, got 'abc' (serve.yaml:1)
            env_overrides: {TLLM_PREFIX_TOKEN_CACHE_MIN_CHARS: 0} | config: env_overrides.TLLM_PREFIX_TOKEN_CACHE_MIN_CHARS must be a positive integer, got 0 (serve.yaml:1)
            env_overrides: {RONDO_LOG_LEVEL: loud} | config: env_overrides.RONDO_LOG_LEVEL must be one of internal_error, error, warning, info, verbose, debug, trace, got 'loud' (serve.yaml:1)
            prometheus_metrics_config: {time_to_first_token_seconds: []} | config: prometheus_metrics_config.time_to_first_token_seconds must be 1 to 200 ascending numbers of seconds, got [] (serve.yaml:1)
            prometheus_metrics_config: {time_to_first_token_seconds: [1, 1]} | config: prometheus_metrics_config.time_to_first_token_seconds must be 1 to 200 ascending numbers of seconds, got [1, 1] (serve.yaml:1)
            prometheus_metrics_config: {e2e_request_latency_seconds: [0, 1]} | config: prometheus_metrics_config.e2e_request_latency_seconds[0] must be > 0, got 0 (serve.yaml:1)
            rondo: {api_keys: [ok, 'a b']} | config: rondo.api_keys[1] must be printable ASCII without spaces, 1 to 512 characters, got *** (serve.yaml:1)
            rondo: {api_keys: ['']} | config: rondo.api_keys[0] must be printable ASCII without spaces, 1 to 512 characters, got *** (serve.yaml:1)
            rondo: {api_keys_file: /no/such} | config: rondo.api_keys_file must be a file of API keys, one a line (it does not exist), got '/no/such' (serve.yaml:1)
            rondo: {cors_origins: ['https://a.example/']} | config: rondo.cors_origins[0] must be '*' or an origin like 'https://app.example.com' or 'http://localhost:3000', got 'https://a.example/' (serve.yaml:1)
            rondo: {cors_origins: ['a.example']} | config: rondo.cors_origins[0] must be '*' or an origin like 'https://app.example.com' or 'http://localhost:3000', got 'a.example' (serve.yaml:1)
            """)
    void whatIsWrongIsToldWithItsPlace(String yaml, String message) {
        assertThat(errors(yaml)).isEqualTo(message);
    }

    @Test
    void anOpenFileOfKeysAndAnOpenDoorAreNoticed() throws IOException {
        Path file = keys("rw-r--r--");
        assertThat(parse("rondo: {api_keys_file: " + file + "}").notices())
                .extracting(Notice::text)
                .containsExactly("config notice: rondo.api_keys_file='" + file
                        + "' is readable by every user of this machine: chmod 600 (serve.yaml:1)");
        assertThat(parse("rondo: {cors_origins: ['*']}").notices())
                .extracting(Notice::text)
                .containsExactly("config notice: rondo.cors_origins='*' without API keys: any page that a browser opens"
                        + " can use this server (serve.yaml:1)");
        assertThat(parse("rondo: {cors_origins: ['*'], api_keys: [k]}").notices())
                .isEmpty();
    }
}
