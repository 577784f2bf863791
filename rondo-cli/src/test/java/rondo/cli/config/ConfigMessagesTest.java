package rondo.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.UserError;

/** The exact texts of serve-config.md §1.2, and where they stand. */
class ConfigMessagesTest {
    @Test
    void theExamplesOfTheSpecificationHold() {
        assertThat(errors("\n".repeat(10) + "kv_cache_config:\n  free_gpu_memory_fraction: 1.4\n"))
                .isEqualTo(
                        "config: kv_cache_config.free_gpu_memory_fraction must be > 0 and <= 1, got 1.4 (serve.yaml:12)");
        assertThat(errors("\n\n\nkv_cache_confg: {}\n"))
                .isEqualTo("config: kv_cache_confg is not a known key (serve.yaml:4); did you mean 'kv_cache_config'?");
        assertThat(errors("""
                # a file


                # of
                # comments

                kv_cache_config:
                  block_reuse_config:
                    block_reuse_policy: all_reusable
                """))
                .isEqualTo("config: kv_cache_config.block_reuse_config.block_reuse_policy was renamed to"
                        + " kv_cache_config.block_reuse_config.policy (serve.yaml:9)");
        assertThat(errors("\ntensor_parallel_size: 4\n"))
                .isEqualTo("config: tensor_parallel_size must be <= 1 (devices on this machine), got 4 (serve.yaml:2)");
        assertThat(notices("\n".repeat(18) + "kv_cache_config:\n  use_uvm: true\n"))
                .containsExactly("INFO config notice: kv_cache_config.use_uvm=true has no effect in rondo:"
                        + " deprecated upstream (serve.yaml:20)");
    }

    @Test
    void refusedAndUnbuiltKeysSaySo() {
        assertThat(errors("\n".repeat(30) + "cache_transceiver_config:\n  backend: UCX\n"))
                .isEqualTo("config: cache_transceiver_config is not supported by rondo: one process serves prefill and"
                        + " decode (serve.yaml:31)");
        assertThat(errors("kv_cache_config:\n  disk_cache_size: 160GiB\n"))
                .isEqualTo("config: kv_cache_config.disk_cache_size=160GiB is not supported by rondo: no disk tier yet:"
                        + " the host tier is the last (serve.yaml:2)");
        assertThat(errors("speculative_config: {decoding_type: NGram, max_draft_len: 3}\n"))
                .isEqualTo("config: speculative_config is not supported by rondo: not built yet (serve.yaml:1)");
        assertThat(errors("kv_cache_config: {dtype: fp8}\n"))
                .isEqualTo("config: kv_cache_config.dtype=fp8 is not supported by rondo: not built yet (serve.yaml:1)");
        assertThat(errors("kv_cache_config: {dtype: nvfp4}\n"))
                .isEqualTo("config: kv_cache_config.dtype=nvfp4 is not supported by rondo: no such KV cache type"
                        + " (serve.yaml:1)");
        assertThat(errors("max_beam_width: 4\n"))
                .isEqualTo("config: max_beam_width must be 1 (beam search is not supported), got 4 (serve.yaml:1)");
        assertThat(errors("scheduler_config: {capacity_scheduler_policy: STATIC_BATCH}\n"))
                .isEqualTo("config: scheduler_config.capacity_scheduler_policy=STATIC_BATCH is not supported by"
                        + " rondo: batching is in flight (serve.yaml:1)");
        assertThat(errors("scheduler_config: {context_chunking_policy: FORCE_CHUNK}\n"))
                .isEqualTo("config: scheduler_config.context_chunking_policy=FORCE_CHUNK is not supported by"
                        + " rondo: it exists for state-space snapshots (serve.yaml:1)");
        assertThat(errors("sampler_type: TRTLLMSampler\n"))
                .isEqualTo("config: sampler_type=TRTLLMSampler is not supported by rondo: there is one sampler"
                        + " (serve.yaml:1)");
    }

    @Test
    void anUnbuiltKeyThatSaysItsDefaultIsAccepted() {
        assertThat(notices("""
                enable_iter_perf_stats: false
                disable_overlap_scheduler: false
                return_perf_metrics: false
                kv_cache_config:
                  host_cache_size: 0
                  event_buffer_max_size: 0
                  secondary_offload_min_priority: 35
                  max_util_for_resume: 0.95
                speculative_config: null
                enable_lora: false
                enable_attention_dp: false
                load_format: auto
                batch_wait_timeout_ms: 0
                """)).isEmpty();
    }

    @Test
    void whatOnlyConcernsGpusIsNoted() {
        assertThat(notices("""
                cuda_graph_config: {enable_padding: true, max_batch_size: 48}
                prefill_cuda_graph_backend: breakable
                prefill_capture_num_tokens: [512, 1024]
                """))
                .containsExactly(
                        "INFO config notice: cuda_graph_config.enable_padding=true has no effect in rondo: no GPU is"
                                + " used (serve.yaml:1)",
                        "INFO config notice: cuda_graph_config.max_batch_size=48 has no effect in rondo: no GPU is used"
                                + " (serve.yaml:1)",
                        "WARN config notice: prefill_cuda_graph_backend=breakable is not recorded yet, runs eagerly"
                                + " (serve.yaml:2)",
                        "INFO config notice: prefill_capture_num_tokens=[512, 1024] has no effect in rondo: no GPU is"
                                + " used (serve.yaml:3)");
    }

    @Test
    void whatTheCacheDoesWithoutIsNoted() {
        assertThat(notices("""
                kv_cache_config:
                  enable_swa_scratch_reuse: true
                  enable_kv_pool_rebalance: true
                  kv_pool_rebalance_cooldown_secs: 60
                  block_reuse_config: {max_num_turns: 3}
                """))
                .containsExactly(
                        "INFO config notice: kv_cache_config.enable_swa_scratch_reuse=true has no effect in rondo: a chunk"
                                + " whose window pages do not fit is made smaller (serve.yaml:2)",
                        "INFO config notice: kv_cache_config.enable_kv_pool_rebalance=true has no effect in rondo: pools"
                                + " keep the sizes that they start with (serve.yaml:3)",
                        "INFO config notice: kv_cache_config.kv_pool_rebalance_cooldown_secs=60 has no effect in rondo:"
                                + " pools keep the sizes that they start with (serve.yaml:4)",
                        "INFO config notice: kv_cache_config.block_reuse_config.max_num_turns=3 has no effect in rondo:"
                                + " block_reuse_config.policy=all_reusable counts no turns (serve.yaml:5)");
        assertThat(notices("kv_cache_config: {block_reuse_config: {policy: per_conversation, max_num_turns: 3}}"))
                .isEmpty();
    }

    @Test
    void aDeprecatedSpellingIsUsedAndWarnedOf() {
        String yaml = "kv_cache_config:\n  block_reuse_policy: all_reusable\n";
        assertThat(notices(yaml))
                .containsExactly("WARN config notice: kv_cache_config.block_reuse_policy is deprecated, using"
                        + " kv_cache_config.block_reuse_config.policy=all_reusable (serve.yaml:2)");
        assertThat(errors("""
                kv_cache_config:
                  block_reuse_policy: lru
                """))
                .isEqualTo("config: kv_cache_config.block_reuse_config.policy must be one of all_reusable, per_request,"
                        + " per_conversation, got 'lru' (serve.yaml:2)");
    }

    @Test
    void allProblemsArePrintedTogetherInTheOrderOfLines() {
        UserError error = failure("""
                stream_interval: 0
                max_batchsize: 3
                kv_cache_config:
                  tokens_per_block: 48
                  enable_block_reuse: yes
                rondo: {api_keys: [secret, 7]}
                max_num_tokens: lots
                """);
        assertThat(error.exitCode()).isEqualTo(UserError.USAGE);
        assertThat(error.getMessage().lines())
                .containsExactly(
                        "config: stream_interval must be >= 1, got 0 (serve.yaml:1)",
                        "config: max_batchsize is not a known key (serve.yaml:2); did you mean 'max_batch_size'?",
                        "config: kv_cache_config.tokens_per_block must be a power of two from 2 to 1024, got 48 (serve.yaml:4)",
                        "config: kv_cache_config.enable_block_reuse must be true or false, got 'yes' (serve.yaml:5)",
                        "config: rondo.api_keys[1] must be a string, got *** (serve.yaml:6)",
                        "config: max_num_tokens must be an integer, got 'lots' (serve.yaml:7)");
    }

    /** R136: a key at the wrong level or with a typo is an error with its place. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            host_cache_size: 1                        | host_cache_size           | did you mean 'kv_cache_config.host_cache_size'?
            max_seqlen: 1                             | max_seqlen                | did you mean 'max_seq_len'?
            kv_cache_config: {free_gpu_mem_fraction: 0.9} | kv_cache_config.free_gpu_mem_fraction | did you mean 'free_gpu_memory_fraction'?
            kv_cache_config: {enable_blokc_reuse: true} | kv_cache_config.enable_blokc_reuse | did you mean 'enable_block_reuse'?
            scheduler_config: {policy_of_the_house: 1} | scheduler_config.policy_of_the_house | keys here: capacity_scheduler_policy, context_chunking_policy, waiting_queue_policy, enable_prefix_aware_scheduling, use_python_scheduler, dynamic_batch_config
            something_else_altogether: 1              | something_else_altogether | keys here: max_batch_size, max_num_tokens, max_seq_len, max_input_len, max_beam_width, enable_chunked_prefill, dtype, model
            free_gpu_memory_fraction: 0.8             | free_gpu_memory_fraction  | did you mean 'kv_cache_config.free_gpu_memory_fraction'?
            kv_cache_config: {max_batch_size: 4}      | kv_cache_config.max_batch_size | did you mean 'max_batch_size'?
            kv_cache_dtype: fp8                       | kv_cache_dtype            | did you mean 'kv_cache_config.dtype'?
            rondo: {cpu_thread: 2}                    | rondo.cpu_thread          | did you mean 'cpu_threads'?
            """)
    void anUnknownKeyIsAnsweredWithTheNearestName(String yaml, String path, String hint) {
        assertThat(errors(yaml)).isEqualTo("config: " + path + " is not a known key (serve.yaml:1); " + hint);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            [1, 2]           | the root must be a mapping, got a sequence (serve.yaml:1)
            hello            | the root must be a mapping, got 'hello' (serve.yaml:1)
            max_batch_size: "'48'" | max_batch_size must be an integer, got '48' (serve.yaml:1)
            max_batch_size: 4.5    | max_batch_size must be an integer, got 4.5 (serve.yaml:1)
            max_batch_size: 99999999999 | max_batch_size must be <= 2147483647, got 99999999999 (serve.yaml:1)
            stream_interval: null  | stream_interval must be an integer, got null (serve.yaml:1)
            kv_cache_config: null  | kv_cache_config must be a mapping, got null (serve.yaml:1)
            kv_cache_config: [1]   | kv_cache_config must be a mapping, got [1] (serve.yaml:1)
            kv_cache_config: {max_gpu_total_bytes: 3 lots} | kv_cache_config.max_gpu_total_bytes must be a number of bytes (an integer, or like '160GiB'), got '3 lots' (serve.yaml:1)
            kv_cache_config: {max_gpu_total_bytes: -1} | kv_cache_config.max_gpu_total_bytes must be >= 0, got -1 (serve.yaml:1)
            kv_cache_config: {max_gpu_total_bytes: 99999999TiB} | kv_cache_config.max_gpu_total_bytes must be a number of bytes (an integer, or like '160GiB'), got '99999999TiB' (serve.yaml:1)
            kv_cache_config: {free_gpu_memory_fraction: .nan} | kv_cache_config.free_gpu_memory_fraction must be > 0 and <= 1, got .nan (serve.yaml:1)
            kv_cache_config: {pool_ratio: [0.5, 0]} | kv_cache_config.pool_ratio[1] must be > 0, got 0 (serve.yaml:1)
            kv_cache_config: {pool_ratio: [0.5, 0.4]} | kv_cache_config.pool_ratio must be numbers that sum to 1.0, got [0.5, 0.4] (serve.yaml:1)
            kv_cache_config: {max_tokens: 16} | kv_cache_config.max_tokens must be >= 32 (kv_cache_config.tokens_per_block), got 16 (serve.yaml:1)
            num_postprocess_workers: 65 | num_postprocess_workers must be >= 0 and <= 64, got 65 (serve.yaml:1)
            pipeline_parallel_size: 2 | pipeline_parallel_size must be 1 (pipeline parallelism is not supported), got 2 (serve.yaml:1)
            dtype: int8            | dtype must be one of auto, float16, bfloat16, float32, got 'int8' (serve.yaml:1)
            tool_parser: nonesuch  | tool_parser must be one of auto, muse_glimmer, gpt_oss, qwen3, llama3_json, hermes, deepseek_r1, none, got 'nonesuch' (serve.yaml:1)
            model: meta/llama      | model must be a local directory, got 'meta/llama' (serve.yaml:1)
            rondo: {template_date: 2026-02-30} | rondo.template_date must be a date like 2026-12-31, got '2026-02-30' (serve.yaml:1)
            max_num_tokens: 16     | max_num_tokens must be >= 32 (kv_cache_config.tokens_per_block, with enable_chunked_prefill), got 16 (serve.yaml:1)
            {"a: 1": 2, ? [x] : 3} | a key must be a word (serve.yaml:1)
            """)
    void aWrongValueSaysWhatWasExpectedAndGot(String yaml, String text) {
        assertThat(errors(yaml.replace("\"'48'\"", "'48'")).lines()).contains("config: " + text);
    }

    @Test
    void aLongValueIsCut() {
        String message = errors("dtype: " + "x".repeat(500));
        assertThat(message).contains("got '" + "x".repeat(59) + "… (serve.yaml:1)");
    }

    @Test
    void aKeyGivenTwiceIsAnError() {
        assertThat(errors("max_seq_len: 9000\nkv_cache_config:\n  max_tokens: 64\n  max_tokens: 96\nmax_seq_len: 1\n")
                        .lines())
                .containsExactly(
                        "config: kv_cache_config.max_tokens is given twice, first on line 3 (serve.yaml:4)",
                        "config: max_seq_len is given twice, first on line 1 (serve.yaml:5)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: b: c",
                "max_batch_size: [1",
                "\tmax_batch_size: 1",
                "x: *nowhere",
                "a: 1\n---\nb: 2",
                "x: &a [*a]",
                "%YAML 9.9 nonsense\n---\n",
                "x: \u0000",
            })
    void textThatIsNoYamlIsOneClearLine(String yaml) {
        assertThat(errors(yaml).lines())
                .allMatch(l -> l.startsWith("config: ") && l.matches(".*\\(serve\\.yaml:\\d+\\).*"));
    }

    @Test
    void rulesAcrossKeysNameBothSides() {
        assertThat(errors("max_seq_len: 4096\nmax_input_len: 4096\n"))
                .isEqualTo("config: max_input_len must be < 4096 (max_seq_len), got 4096 (serve.yaml:2)");
        assertThat(errors("enable_iter_req_stats: true\n"))
                .isEqualTo("config: enable_iter_req_stats=true needs enable_iter_perf_stats=true (serve.yaml:1)");
        assertThat(errors("prefill_cuda_graph_backend: breakable\ntorch_compile_config: {enable_fullgraph: true}\n"))
                .startsWith("config: prefill_cuda_graph_backend=breakable conflicts with torch_compile_config: ");
        assertThat(
                        errors(
                                "torch_compile_config: {enable_piecewise_cuda_graph: true}\nprefill_cuda_graph_backend: disabled\n"))
                .contains("conflicts with prefill_cuda_graph_backend")
                .contains("(serve.yaml:1)");
        assertThat(errors("cuda_graph_config:\n  batch_sizes: [1, 8]\n  max_batch_size: 4\n"))
                .isEqualTo("config: cuda_graph_config.max_batch_size conflicts with cuda_graph_config.batch_sizes:"
                        + " its maximum is 8 (serve.yaml:3)");
        assertThat(
                        errors(
                                "kv_cache_config:\n  enable_block_reuse: false\n  block_reuse_config: {swa_endpoint_rewind_tokens: 64}\n"))
                .isEqualTo("config: kv_cache_config.block_reuse_config.swa_endpoint_rewind_tokens=64 needs"
                        + " enable_block_reuse=true (serve.yaml:3)");
    }

    @Test
    void aStepThatIsTooSmallForTheBatchIsWarnedOfWithTheArithmetic() {
        assertThat(notices("")).isEmpty();
        assertThat(notices("max_batch_size: 500\n"))
                .containsExactly("WARN config notice: max_num_tokens=512 < 500 (max_batch_size) + 32"
                        + " (kv_cache_config.tokens_per_block) = 532: beside a full decode batch no aligned prefill"
                        + " chunk fits (serve.yaml:1)");
        assertThat(notices("max_batch_size: 600\n"))
                .containsExactly("WARN config notice: max_batch_size=600 > max_num_tokens=512: a step cannot hold one"
                        + " token of every sequence (serve.yaml:1)");
    }

    private static UserError failure(String yaml) {
        Throwable thrown = catchThrowable(() -> ConfigLoader.parse("serve.yaml", yaml, List.of()));
        assertThat(thrown).isInstanceOf(UserError.class);
        return (UserError) thrown;
    }

    private static String errors(String yaml) {
        return failure(yaml).getMessage();
    }

    private static List<String> notices(String yaml) {
        return ConfigLoader.parse("serve.yaml", yaml, List.of()).notices().stream()
                .map(n -> n.level() + " " + n.text())
                .toList();
    }
}
