package rondo.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Seeds;
import rondo.base.UserError;
import rondo.engine.EngineOptions;
import rondo.kv.KvOptions;

class ServeConfigTest {
    @TempDir
    Path directory;

    @Test
    void anEmptyFileIsAllDefaults() {
        ServeConfig config = parse("");
        assertThat(config).usingRecursiveComparison().isEqualTo(parse("# nothing but a comment\n"));
        assertThat(config.limits().maxBatchSize()).isEqualTo(2048);
        assertThat(config.limits().maxNumTokens()).isEqualTo(512);
        assertThat(config.limits().maxSeqLen()).isEmpty();
        assertThat(config.kv().tokensPerBlock()).isEqualTo(32);
        assertThat(config.kv().memoryFraction()).hasValue(0.9);
        assertThat(config.kv().policy()).isEqualTo(KvOptions.ReusePolicy.ALL_REUSABLE);
        assertThat(config.front().maxRequestBytes()).isEqualTo(64L << 20);
        assertThat(config.scheduling().queuedTokens(1000)).isEqualTo(64_000);
        assertThat(config.effective().origin("max_batch_size")).isEqualTo(new Origin.Default());
    }

    @Test
    void everyActiveKeyArrivesInTheTypedResult() throws IOException {
        ServeConfig c = parse("""
                max_batch_size: 48
                max_num_tokens: 1_024
                max_seq_len: 4096
                enable_chunked_prefill: False
                dtype: bfloat16
                stream_interval: 20
                num_postprocess_workers: 2
                print_iter_log: TRUE
                max_input_len: 4000
                enable_iter_perf_stats: true
                enable_iter_req_stats: true
                max_stats_len: 0
                disable_overlap_scheduler: false
                tool_parser: hermes
                generation_config: trtllm
                disable_mm_encoder: true
                tokenizer: %s
                kv_cache_config:
                  enable_block_reuse: true
                  enable_partial_reuse: false
                  copy_on_partial_reuse: false
                  dtype: float32
                  tokens_per_block: 64
                  max_tokens: 100_000
                  max_gpu_total_bytes: 2GB
                  free_gpu_memory_fraction: null
                  pool_ratio: [0.25, 0.75]
                  avg_seq_len: 2000
                  iteration_stats_interval: 3
                  host_cache_size: 3GiB
                  secondary_offload_min_priority: 70
                  max_util_for_resume: 0.5
                  max_attention_window: [512, 4096]
                  block_reuse_config: {policy: all_reusable, swa_endpoint_rewind_tokens: 128}
                scheduler_config: {enable_prefix_aware_scheduling: false, context_chunking_policy: EQUAL_PROGRESS, capacity_scheduler_policy: GUARANTEED_NO_EVICT, waiting_queue_policy: priority}
                rondo:
                  device: cpu
                  max_queue_size: 7
                  max_queued_tokens: 9000
                  queue_timeout_ms: 1
                  request_timeout_ms: 2
                  clamp_max_tokens: false
                  max_request_bytes: 1MiB
                  api_keys: [one, 'two']
                  cpu_threads: 2
                  cpu_kv_base: 512mib
                  strict_body: true
                  metrics_alias: false
                  metrics_format: json
                  max_chars_per_token: 6
                  safe_special_tokens: false
                  template_date: 2026-07-04
                  allow_longer_than_model: true
                  preemption: offload
                  starvation_ms: 77
                  swa_endpoint_track_decode: true
                """.formatted(directory));
        assertThat(c.model().tokenizer()).contains(directory.toString());
        assertThat(c.model().dtype()).isEqualTo(ServeConfig.DType.BFLOAT16);
        assertThat(c.model().checkpointDefaults()).isFalse();
        assertThat(c.model().disableMmEncoder()).isTrue();
        assertThat(c.model().toolParser()).isEqualTo("hermes");
        assertThat(c.model().safeSpecialTokens()).isFalse();
        assertThat(c.model().templateDate()).contains(LocalDate.of(2026, 7, 4));
        assertThat(c.limits().maxBatchSize()).isEqualTo(48);
        assertThat(c.limits().maxNumTokens()).isEqualTo(1024);
        assertThat(c.limits().maxSeqLen()).hasValue(4096);
        assertThat(c.limits().chunkedPrefill()).isFalse();
        assertThat(c.limits().allowLongerThanModel()).isTrue();
        assertThat(c.kv().partialReuse()).isFalse();
        assertThat(c.kv().copyOnPartialReuse()).isFalse();
        assertThat(c.kv().dtype()).isEqualTo(ServeConfig.KvDType.FLOAT32);
        assertThat(c.kv().tokensPerBlock()).isEqualTo(64);
        assertThat(c.kv().maxTokens()).hasValue(100_000);
        assertThat(c.kv().maxBytes()).isEqualTo(2L << 30);
        assertThat(c.kv().memoryFraction()).isEmpty();
        assertThat(c.kv().poolRatio()).containsExactly(0.25, 0.75);
        assertThat(c.kv().avgSeqLen()).hasValue(2000);
        assertThat(c.kv().options(1024).endpointRewindTokens()).isEqualTo(128);
        assertThat(c.kv().hostBytes()).isEqualTo(3L << 30);
        assertThat(c.kv().options(1024).offloadMinPriority()).isEqualTo(70);
        assertThat(c.kv().options(1024).maxUtilForResume()).isEqualTo(0.5);
        assertThat(c.kv().windows()).containsExactly(512, 4096);
        assertThat(c.scheduling().prefixAware()).isFalse();
        assertThat(c.scheduling().maxQueueSize()).isEqualTo(7);
        assertThat(c.scheduling().overlap()).contains(true);
        assertThat(c.scheduling().preemption()).isEqualTo(EngineOptions.Preemption.OFFLOAD);
        assertThat(c.scheduling().capacity()).isEqualTo(EngineOptions.Capacity.GUARANTEED_NO_EVICT);
        assertThat(c.scheduling().chunking()).isEqualTo(EngineOptions.Chunking.EQUAL_PROGRESS);
        assertThat(c.scheduling().queueOrder()).isEqualTo(EngineOptions.QueueOrder.PRIORITY);
        assertThat(c.scheduling().starvationMillis()).isEqualTo(77);
        assertThat(c.scheduling().statistics()).isEqualTo(new EngineOptions.Statistics(1, true, 3));
        assertThat(c.limits().maxInputLen()).hasValue(4000);
        assertThat(c.front().iterPerfStats()).isTrue();
        assertThat(c.kv().options(1024).trackDecode()).isTrue();
        assertThat(c.scheduling().queuedTokens(4096)).isEqualTo(9000);
        assertThat(c.scheduling().queueTimeoutMillis()).isEqualTo(1);
        assertThat(c.scheduling().requestTimeoutMillis()).isEqualTo(2);
        assertThat(c.scheduling().printIterLog()).isTrue();
        assertThat(c.front().streamInterval()).isEqualTo(20);
        assertThat(c.front().postprocessWorkers()).isEqualTo(2);
        assertThat(c.front().clampMaxTokens()).isFalse();
        assertThat(c.front().maxRequestBytes()).isEqualTo(1L << 20);
        assertThat(c.front().apiKeys()).containsExactly("one", "two");
        assertThat(c.front().strictBody()).isTrue();
        assertThat(c.front().metricsAlias()).isFalse();
        assertThat(c.front().maxCharsPerToken()).isEqualTo(6);
        assertThat(c.front().metricsFormat()).isEqualTo(ServeConfig.MetricsFormat.JSON);
        assertThat(c.cpu().threads()).hasValue(2);
        assertThat(c.cpu().kvBase()).hasValue(512L << 20);
        assertThat(c.toString()).doesNotContain("'two'").doesNotContain("[one");
        assertThat(c.effective().yaml()).contains("api_keys: ['***']").doesNotContain("two");
    }

    @Test
    void aFlagWinsOverTheFileAndSaysSo() {
        ServeConfig config = ConfigLoader.parse(
                "serve.yaml",
                "\n\nmax_batch_size: 48\n",
                List.of(new FlagValue("--max_batch_size", "max_batch_size", "8")));
        assertThat(config.limits().maxBatchSize()).isEqualTo(8);
        assertThat(config.notices())
                .extracting(Notice::text)
                .containsExactly("config: --max_batch_size 8 overrides max_batch_size 48 (serve.yaml:3)");
        assertThat(config.effective().origin("max_batch_size")).isEqualTo(new Origin.Flag("--max_batch_size"));
        assertThatThrownBy(() -> ConfigLoader.load(List.of(new FlagValue("--max_batch_size", "max_batch_size", "x"))))
                .hasMessage("config: max_batch_size must be an integer, got 'x' (--max_batch_size)");
    }

    @Test
    void aWrongValueInTheFileIsReportedEvenWhereAFlagWins() {
        assertThatThrownBy(() -> ConfigLoader.parse(
                        "serve.yaml",
                        "max_batch_size: 0\n",
                        List.of(new FlagValue("--max_batch_size", "max_batch_size", "8"))))
                .hasMessage("config: max_batch_size must be >= 1, got 0 (serve.yaml:1)");
    }

    @Test
    void anchorsAndMergeKeysAreResolvedAndOwnKeysWin() {
        ServeConfig config = parse("""
                kv_cache_config: &kv {tokens_per_block: 64, max_tokens: 128}
                scheduler_config:
                  enable_prefix_aware_scheduling: &off false
                rondo: {strict_body: *off}
                """);
        assertThat(config.kv().tokensPerBlock()).isEqualTo(64);
        assertThat(config.front().strictBody()).isFalse();
        // Merge keys need a place for the anchor: the root's own mapping.
        ServeConfig merged = parse("""
                <<: &base {max_batch_size: 4, stream_interval: 5}
                max_batch_size: 8
                """);
        assertThat(merged.limits().maxBatchSize()).isEqualTo(8);
        assertThat(merged.front().streamInterval()).isEqualTo(5);
    }

    @Test
    void nullMeansTheDefaultWhereTheSpecificationSaysSo() {
        ServeConfig config = parse("max_batch_size: null\nmax_num_tokens: ~\nmax_beam_width:\nmax_seq_len: null\n");
        assertThat(config.limits().maxBatchSize()).isEqualTo(2048);
        assertThat(config.limits().maxNumTokens()).isEqualTo(512);
        assertThat(config.limits().maxSeqLen()).isEmpty();
    }

    @Test
    void whatCheckPrintsIsItselfAFileThatSaysTheSame() {
        ServeConfig config = parse("""
                max_batch_size: 48
                kv_cache_config: {max_gpu_total_bytes: 3_000, pool_ratio: [0.125, 0.875], use_kv_cache_manager_v2: true}
                rondo: {template_date: 2026-01-02, cpu_kv_base: 5GiB}
                """);
        String printed = config.effective().yaml();
        ServeConfig again = parse(printed);
        assertThat(again.limits()).isEqualTo(config.limits());
        assertThat(again.kv()).isEqualTo(config.kv());
        assertThat(again.cpu()).isEqualTo(config.cpu());
        assertThat(again.model()).isEqualTo(config.model());
        assertThat(printed).containsPattern("max_batch_size: 48 +# serve.yaml:1\n");
        assertThat(printed).containsPattern("max_num_tokens: 512 +# default\n");
    }

    @Test
    void whatTheModelDecidesIsCheckedWithTheLineOfTheFile() {
        ServeConfig config = parse("max_seq_len: 1048576\nkv_cache_config: {pool_ratio: [1]}\n");
        assertThatThrownBy(() -> config.maxSeqLenFor(4096))
                .isInstanceOf(UserError.class)
                .hasMessage("config: max_seq_len must be <= 4096 (max_position_embeddings of the model;"
                        + " rondo.allow_longer_than_model lifts it), got 1048576 (serve.yaml:1)");
        assertThat(config.tooLongForPools(638624, 8L << 30))
                .hasMessage("config: max_seq_len must be <= 638624 (KV cache of 8.0 GiB holds no longer sequence),"
                        + " got 1048576 (serve.yaml:1)");
        assertThatThrownBy(() -> config.checkLifeCycles(2))
                .hasMessage("config: kv_cache_config.pool_ratio must be a list of 2 numbers (one per life cycle),"
                        + " got [1] (serve.yaml:2)");
        assertThat(parse("").maxSeqLenFor(4096)).isEqualTo(4096);
        assertThat(parse("max_seq_len: 8192\nrondo: {allow_longer_than_model: true}")
                        .maxSeqLenFor(4096))
                .isEqualTo(8192);
        assertThat(config.effective()
                        .settled("max_seq_len", 4096, "config.json")
                        .yaml())
                .containsPattern("max_seq_len: 4096 +# config.json\n");
    }

    @Test
    void aFileThatCannotBeReadIsOneClearLine() throws IOException {
        Path missing = directory.resolve("nope.yaml");
        assertThatThrownBy(() -> ConfigLoader.load(missing, List.of()))
                .isInstanceOf(UserError.class)
                .hasMessage("config: " + missing + " does not exist");
        assertThatThrownBy(() -> ConfigLoader.load(directory, List.of()))
                .hasMessage("config: " + directory + " is a directory, not a file");
        Path large = Files.writeString(directory.resolve("large.yaml"), "#".repeat((1 << 20) + 1));
        assertThatThrownBy(() -> ConfigLoader.load(large, List.of()))
                .hasMessage("config: " + large + " must be <= 1 MiB, got 1048577 bytes");
        Path latin = Files.write(directory.resolve("latin.yaml"), new byte[] {'a', ':', ' ', (byte) 0xe9});
        assertThatThrownBy(() -> ConfigLoader.load(latin, List.of())).hasMessage("config: " + latin + " must be UTF-8");
    }

    @Test
    void noTextWhateverMakesTheReaderThrowAnythingButAUserError() {
        String[] pieces = {
            "max_batch_size",
            ": ",
            "\n",
            "  ",
            "48",
            "kv_cache_config",
            "[",
            "]",
            "{",
            "}",
            "- ",
            "&a ",
            "*a",
            "<<",
            "'",
            "\"",
            "null",
            "true",
            "#",
            "!!int ",
            "| ",
            "> ",
            "0.5",
            "rondo",
            "api_keys",
            "pool_ratio",
            "?",
            "\t",
            "é",
            "%",
            "---\n",
        };
        Seeds.forEach(300, random -> {
            String text = text(random, pieces);
            try {
                parse(text);
            } catch (UserError expected) {
                assertThat(expected.getMessage().lines()).allMatch(l -> l.startsWith("config: "));
            }
        });
    }

    private static String text(SplittableRandom random, String[] pieces) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(40); i >= 0; i--) {
            text.append(pieces[random.nextInt(pieces.length)]);
        }
        return text.toString();
    }

    private static ServeConfig parse(String yaml) {
        return ConfigLoader.parse("serve.yaml", yaml, List.of());
    }
}
