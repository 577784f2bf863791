package rondo.cli.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import rondo.base.UserError;
import rondo.engine.EngineOptions;
import rondo.kv.KvOptions;
import rondo.server.kvevents.HashAlgorithm;
import rondo.server.kvevents.StreamOptions;

/** Reads a configuration file and the flags beside it into a {@link ServeConfig}, or says all that is wrong. */
public final class ConfigLoader {
    /**
     * Tokens before a prompt's end whose windows are kept where the file does not say. 0, the default elsewhere, lets every
     * long prompt sweep out the windows of all others, and hits collapse (docs/performance.md, Simulated); more than the
     * last user message's rest costs more pages than it brings hits.
     */
    private static final int DEFAULT_REWIND = 128;

    private ConfigLoader() {}

    /** What else is wrong with a configuration, by what is known beside it: complete messages. */
    @FunctionalInterface
    public interface Check {
        List<String> problems(ServeConfig config);
    }

    /** All defaults, with what the command line says. */
    public static ServeConfig load(List<FlagValue> flags) {
        return load(flags, config -> List.of());
    }

    /** As above; what {@code check} finds is told together with all else. */
    public static ServeConfig load(List<FlagValue> flags, Check check) {
        return parse("(no file)", "", flags, check);
    }

    /** A file with what the command line says beside it; the flag wins over the file. */
    public static ServeConfig load(Path file, List<FlagValue> flags) {
        return load(file, flags, config -> List.of());
    }

    /** As above; what {@code check} finds is told together with all else. */
    public static ServeConfig load(Path file, List<FlagValue> flags, Check check) {
        return parse(file.toString(), read(file), flags, check);
    }

    /** The same for text that has already been read; {@code file} is how messages cite it. */
    public static ServeConfig parse(String file, String text, List<FlagValue> flags) {
        return parse(file, text, flags, config -> List.of());
    }

    private static ServeConfig parse(String file, String text, List<FlagValue> flags, Check check) {
        Problems problems = new Problems();
        ConfigReader reader = new ConfigReader(KeyTable.load(), problems);
        Settings settings = reader.read(YamlReader.read(file, text, problems), flags);
        Rules.check(settings, reader, problems);
        // What was wrong is not in the settings: the rest can be looked at all the same.
        ServeConfig config = typed(settings, problems.notices());
        check.problems(config).forEach(problems::add);
        problems.throwIfAny();
        return config;
    }

    private static String read(Path file) {
        try {
            if (Files.isDirectory(file)) {
                throw new UserError(UserError.USAGE, "config: " + file + " is a directory, not a file");
            }
            long size = Files.size(file);
            if (size > YamlReader.MAX_BYTES) {
                throw new UserError(UserError.USAGE, "config: " + file + " must be <= 1 MiB, got " + size + " bytes");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                    .toString();
        } catch (NoSuchFileException e) {
            throw new UserError(UserError.USAGE, "config: " + file + " does not exist", e);
        } catch (CharacterCodingException e) {
            throw new UserError(UserError.USAGE, "config: " + file + " must be UTF-8", e);
        } catch (IOException e) {
            throw new UserError(UserError.USAGE, "config: " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static ServeConfig typed(Settings s, List<Notice> notices) {
        return new ServeConfig(
                new ServeConfig.Model(
                        s.optionalText("model"),
                        s.optionalText("tokenizer"),
                        ServeConfig.DType.valueOf(upper(s.text("dtype"))),
                        s.text("generation_config").equals("auto"),
                        s.bool("disable_mm_encoder"),
                        s.bool("enable_tokenization_cache"),
                        s.text("tool_parser"),
                        s.optionalText("reasoning_parser").orElse("auto"),
                        s.bool("rondo.safe_special_tokens"),
                        s.optionalDay("rondo.template_date"),
                        s.text("load_format").equals("dummy")),
                new ServeConfig.Limits(
                        s.integer("max_batch_size"),
                        s.integer("max_num_tokens"),
                        s.optionalInt("max_seq_len"),
                        s.optionalInt("max_input_len"),
                        s.bool("enable_chunked_prefill"),
                        s.bool("rondo.allow_longer_than_model")),
                kv(s),
                events(s),
                new ServeConfig.Scheduling(
                        s.bool("scheduler_config.enable_prefix_aware_scheduling"),
                        s.integer("rondo.max_queue_size"),
                        s.optionalInt("rondo.max_queued_tokens"),
                        s.integer("rondo.queue_timeout_ms"),
                        s.integer("rondo.request_timeout_ms"),
                        s.bool("print_iter_log"),
                        s.optionalBool("disable_overlap_scheduler").map(off -> !off),
                        EngineOptions.Preemption.valueOf(upper(s.text("rondo.preemption"))),
                        EngineOptions.Capacity.valueOf(s.text("scheduler_config.capacity_scheduler_policy")),
                        s.optionalText("scheduler_config.context_chunking_policy")
                                .map(EngineOptions.Chunking::valueOf)
                                .orElse(EngineOptions.Chunking.FIRST_COME_FIRST_SERVED),
                        EngineOptions.QueueOrder.valueOf(upper(s.text("scheduler_config.waiting_queue_policy"))),
                        s.integer("rondo.starvation_ms"),
                        statistics(s),
                        Math.round(s.real("batch_wait_timeout_ms") * 1000)),
                new ServeConfig.Front(
                        s.integer("stream_interval"),
                        s.integer("num_postprocess_workers"),
                        s.bool("rondo.clamp_max_tokens"),
                        s.bytes("rondo.max_request_bytes"),
                        s.texts("rondo.api_keys"),
                        s.bool("rondo.strict_body"),
                        s.bool("rondo.schema_open"),
                        s.bool("rondo.metrics_alias"),
                        ServeConfig.MetricsFormat.valueOf(upper(s.text("rondo.metrics_format"))),
                        s.bool("enable_iter_perf_stats"),
                        s.integer("rondo.max_chars_per_token")),
                FrontRules.operator(s),
                new ServeConfig.Cpu(s.optionalInt("rondo.cpu_threads"), s.optionalBytes("rondo.cpu_kv_base")),
                new Effective(s),
                notices);
    }

    private static ServeConfig.Kv kv(Settings s) {
        String kv = "kv_cache_config.";
        return new ServeConfig.Kv(
                s.bool(kv + "enable_block_reuse"),
                s.bool(kv + "enable_partial_reuse"),
                s.bool(kv + "copy_on_partial_reuse"),
                KvOptions.ReusePolicy.valueOf(upper(s.text(kv + "block_reuse_config.policy"))),
                endpointRewind(s),
                ServeConfig.KvDType.valueOf(upper(s.text(kv + "dtype"))),
                s.integer(kv + "tokens_per_block"),
                s.optionalReal(kv + "free_gpu_memory_fraction"),
                s.optionalInt(kv + "max_tokens"),
                s.bytes(kv + "max_gpu_total_bytes"),
                s.reals(kv + "pool_ratio"),
                s.optionalInt(kv + "avg_seq_len"),
                s.integer(kv + "block_reuse_config.max_num_turns"),
                s.optionalBytes(kv + "host_cache_size").orElse(0),
                s.optionalInt(kv + "secondary_offload_min_priority")
                        .orElse(KvOptions.defaults().offloadMinPriority()),
                s.real(kv + "max_util_for_resume"),
                s.integers(kv + "max_attention_window"),
                s.bool("rondo.swa_endpoint_track_decode"),
                s.bool("rondo.swa_endpoint_supersede"));
    }

    /** Where the file does not say, what the policy allows. */
    private static int endpointRewind(Settings s) {
        String kv = "kv_cache_config.";
        boolean allowed = s.bool(kv + "enable_block_reuse")
                && s.text(kv + "block_reuse_config.policy").equals("all_reusable");
        return s.optionalInt(kv + "block_reuse_config.swa_endpoint_rewind_tokens")
                .orElse(allowed ? DEFAULT_REWIND : 0);
    }

    private static ServeConfig.Events events(Settings s) {
        String kv = "kv_cache_config.";
        String stream = kv + "kv_events_config.";
        HashAlgorithm hashes = s.text(kv + "kv_cache_event_hash_algo").equals("v2_sha256_64")
                ? HashAlgorithm.V2_SHA256_64
                : HashAlgorithm.V2_SHA256;
        Optional<StreamOptions> options = s.bool(stream + "enable_kv_cache_events")
                ? Optional.of(new StreamOptions(
                        s.text(stream + "endpoint"),
                        s.optionalText(stream + "replay_endpoint"),
                        s.integer(stream + "buffer_steps"),
                        s.integer(stream + "hwm"),
                        s.integer(stream + "max_queue_size"),
                        s.text(stream + "topic"),
                        StreamOptions.Format.valueOf(upper(s.text(stream + "format"))),
                        s.bool("rondo.kv_events_all_groups")))
                : Optional.empty();
        return new ServeConfig.Events(s.integer(kv + "event_buffer_max_size"), hashes, options);
    }

    /** A ring of 0 rows means one of 1, as trtllm-serve has it. */
    private static EngineOptions.Statistics statistics(Settings s) {
        int rows = s.integer("max_stats_len");
        return new EngineOptions.Statistics(
                rows == 0 ? 1 : rows,
                s.bool("enable_iter_req_stats"),
                s.integer("kv_cache_config.iteration_stats_interval"));
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }
}
