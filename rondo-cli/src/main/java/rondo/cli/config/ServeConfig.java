package rondo.cli.config;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import rondo.base.UserError;
import rondo.engine.EngineOptions;
import rondo.kv.KvOptions;
import rondo.kv.LifeCycle;
import rondo.server.kvevents.HashAlgorithm;
import rondo.server.kvevents.StreamOptions;

/**
 * The whole configuration of a server, valid and immutable; made by {@link ConfigLoader}.
 *
 * @param model      what is loaded
 * @param limits     sizes of steps, batches and sequences
 * @param kv         the memory
 * @param events     what routers are told of it
 * @param scheduling order, queues and timeouts
 * @param front      the HTTP side
 * @param operator   who may ask, and what is measured
 * @param cpu        the CPU back end
 * @param effective  each value with where it comes from
 * @param notices    lines for the log, in order
 */
public record ServeConfig(
        Model model,
        Limits limits,
        Kv kv,
        Events events,
        Scheduling scheduling,
        Front front,
        Operator operator,
        Cpu cpu,
        Effective effective,
        List<Notice> notices) {

    private static final String HOST = "kv_cache_config.host_cache_size";

    /** Compute type: {@code dtype}. */
    public enum DType {
        AUTO,
        FLOAT16,
        BFLOAT16,
        FLOAT32
    }

    /** Type of K and V: {@code kv_cache_config.dtype}. */
    public enum KvDType {
        AUTO,
        BFLOAT16,
        FLOAT32
    }

    /** What {@code GET /metrics} answers: {@code rondo.metrics_format}. */
    public enum MetricsFormat {
        AUTO,
        PROMETHEUS,
        JSON
    }

    /**
     * What is loaded.
     *
     * @param path               {@code model} of the file; the command line's MODEL is not in here
     * @param tokenizer          {@code tokenizer}: another directory than the model's
     * @param dtype              {@code dtype}
     * @param checkpointDefaults {@code generation_config: auto}
     * @param disableMmEncoder   {@code disable_mm_encoder}
     * @param tokenizationCache  {@code enable_tokenization_cache}
     * @param toolParser         {@code tool_parser}: {@code auto}, {@code hermes} or {@code none}
     * @param reasoningParser    {@code reasoning_parser}; {@code auto} where it is not given
     * @param safeSpecialTokens  {@code rondo.safe_special_tokens}
     * @param templateDate       {@code rondo.template_date}
     * @param dummyWeights       {@code load_format: dummy}
     */
    public record Model(
            Optional<String> path,
            Optional<String> tokenizer,
            DType dtype,
            boolean checkpointDefaults,
            boolean disableMmEncoder,
            boolean tokenizationCache,
            String toolParser,
            String reasoningParser,
            boolean safeSpecialTokens,
            Optional<LocalDate> templateDate,
            boolean dummyWeights) {}

    /**
     * ByteSize.
     *
     * @param maxBatchSize         sequences active at once
     * @param maxNumTokens         tokens of one step
     * @param maxSeqLen            prompt and output together, in tokens; empty = as the model and the pools allow
     * @param maxInputLen          prompt alone, in tokens; empty = no limit of its own
     * @param chunkedPrefill       {@code enable_chunked_prefill}
     * @param allowLongerThanModel {@code rondo.allow_longer_than_model}
     */
    public record Limits(
            int maxBatchSize,
            int maxNumTokens,
            OptionalInt maxSeqLen,
            OptionalInt maxInputLen,
            boolean chunkedPrefill,
            boolean allowLongerThanModel) {}

    /**
     * The memory; its size is the smallest of the three bounds that are given.
     *
     * @param blockReuse         {@code enable_block_reuse}
     * @param partialReuse       {@code enable_partial_reuse}
     * @param copyOnPartialReuse {@code copy_on_partial_reuse}
     * @param policy             {@code block_reuse_config.policy}
     * @param endpointRewind     {@code block_reuse_config.swa_endpoint_rewind_tokens}
     * @param dtype              type of K and V
     * @param tokensPerBlock     page size in tokens
     * @param memoryFraction     share of the free memory
     * @param maxTokens          upper bound in tokens
     * @param maxBytes           upper bound in bytes; 0 = none
     * @param poolRatio          byte share per life cycle; empty = not given
     * @param avgSeqLen          expected length of a sequence, in tokens
     * @param maxNumTurns        {@code block_reuse_config.max_num_turns}
     * @param hostBytes          {@code host_cache_size}; 0 = no host tier
     * @param offloadMinPriority {@code secondary_offload_min_priority}
     * @param maxUtilForResume   {@code max_util_for_resume}
     * @param windows            {@code max_attention_window}; empty = the model's own
     * @param trackDecode        {@code rondo.swa_endpoint_track_decode}
     * @param supersede          {@code rondo.swa_endpoint_supersede}
     */
    public record Kv(
            boolean blockReuse,
            boolean partialReuse,
            boolean copyOnPartialReuse,
            KvOptions.ReusePolicy policy,
            int endpointRewind,
            KvDType dtype,
            int tokensPerBlock,
            OptionalDouble memoryFraction,
            OptionalInt maxTokens,
            long maxBytes,
            List<Double> poolRatio,
            OptionalInt avgSeqLen,
            int maxNumTurns,
            long hostBytes,
            int offloadMinPriority,
            double maxUtilForResume,
            List<Integer> windows,
            boolean trackDecode,
            boolean supersede) {
        /** Whether a prompt's blocks can be shared while it is still computed: only then does waiting for one pay. */
        public boolean sharesAtOnce() {
            return blockReuse && policy == KvOptions.ReusePolicy.ALL_REUSABLE;
        }

        /** The switches in the words of the cache itself. */
        public KvOptions options(int maxNumTokens) {
            KvOptions d = KvOptions.defaults();
            return new KvOptions(
                    blockReuse,
                    partialReuse,
                    copyOnPartialReuse,
                    policy,
                    maxNumTurns,
                    endpointRewind,
                    offloadMinPriority,
                    maxUtilForResume,
                    d.eventBufferSize(),
                    maxNumTokens,
                    trackDecode,
                    supersede);
        }
    }

    /**
     * What routers are told of the memory, in one of two ways or not at all.
     *
     * @param buffered events kept for {@code /kv_cache_events}; 0 = none
     * @param hashes   how the buffered ones name blocks
     * @param stream   how they are streamed instead
     */
    public record Events(int buffered, HashAlgorithm hashes, Optional<StreamOptions> stream) {}

    /**
     * Order, queues and timeouts; 0 = none for a timeout.
     *
     * @param prefixAware          {@code enable_prefix_aware_scheduling}
     * @param maxQueueSize         requests waiting
     * @param maxQueuedTokens      prompt tokens waiting; empty = 64 × max_seq_len
     * @param queueTimeoutMillis   longest wait
     * @param requestTimeoutMillis longest request
     * @param printIterLog         one line per step
     * @param overlap              the opposite of {@code disable_overlap_scheduler}; empty = as the device likes it
     * @param preemption           {@code rondo.preemption}
     * @param capacity             {@code capacity_scheduler_policy}
     * @param chunking             {@code context_chunking_policy}
     * @param queueOrder           {@code waiting_queue_policy}
     * @param starvationMillis     {@code rondo.starvation_ms}
     * @param statistics           what is kept of every step
     * @param batchWaitMicros      {@code batch_wait_timeout_ms}, in microseconds
     */
    public record Scheduling(
            boolean prefixAware,
            int maxQueueSize,
            OptionalInt maxQueuedTokens,
            int queueTimeoutMillis,
            int requestTimeoutMillis,
            boolean printIterLog,
            Optional<Boolean> overlap,
            EngineOptions.Preemption preemption,
            EngineOptions.Capacity capacity,
            EngineOptions.Chunking chunking,
            EngineOptions.QueueOrder queueOrder,
            int starvationMillis,
            EngineOptions.Statistics statistics,
            long batchWaitMicros) {
        /** The bound on waiting prompt tokens for an effective {@code max_seq_len}. */
        public long queuedTokens(int maxSeqLen) {
            return maxQueuedTokens.isPresent() ? maxQueuedTokens.getAsInt() : 64L * maxSeqLen;
        }
    }

    /**
     * The HTTP side.
     *
     * @param streamInterval     tokens between two chunks of a stream
     * @param postprocessWorkers threads that turn tokens into text; 0 = one built in
     * @param clampMaxTokens     whether too many tokens asked for are clamped
     * @param maxRequestBytes    body limit
     * @param apiKeys            accepted keys; empty = none asked for
     * @param strictBody         whether unknown body fields are errors
     * @param openSchemas        whether absent additionalProperties means true in guided output
     * @param metricsAlias       whether metrics carry their trtllm_ names as well
     * @param metricsFormat      what GET /metrics answers
     * @param iterPerfStats      {@code enable_iter_perf_stats}
     * @param maxCharsPerToken   texts longer than this × max_seq_len are refused before tokenization
     */
    public record Front(
            int streamInterval,
            int postprocessWorkers,
            boolean clampMaxTokens,
            long maxRequestBytes,
            List<String> apiKeys,
            boolean strictBody,
            boolean openSchemas,
            boolean metricsAlias,
            MetricsFormat metricsFormat,
            boolean iterPerfStats,
            int maxCharsPerToken) {
        @Override
        public String toString() {
            return "Front[streamInterval=" + streamInterval + ", apiKeys=" + apiKeys.size() + "]";
        }
    }

    /**
     * What an operator sets around the API.
     *
     * @param apiKeysFile {@code rondo.api_keys_file}
     * @param corsOrigins {@code rondo.cors_origins}
     * @param buckets     {@code prometheus_metrics_config}: bounds by the name of the histogram
     * @param environment {@code env_overrides}, under Rondo's own names
     * @param idsOnly     {@code skip_tokenizer_init}
     * @param templates   {@code rondo.allow_request_chat_template}
     * @param drain       {@code rondo.drain_timeout_ms}
     */
    public record Operator(
            Optional<Path> apiKeysFile,
            List<String> corsOrigins,
            Map<String, List<Double>> buckets,
            Map<String, String> environment,
            boolean idsOnly,
            boolean templates,
            Duration drain) {}

    /**
     * The CPU back end.
     *
     * @param threads threads that compute; empty = the processors available
     * @param kvBase  bytes of which {@code free_gpu_memory_fraction} is a share; empty = a quarter of what is available
     */
    public record Cpu(OptionalInt threads, OptionalLong kvBase) {}

    /**
     * The longest sequence that is served by a model that was trained for {@code modelLimit} tokens; an explicit
     * {@code max_seq_len} beyond it is an error unless the file allows it.
     */
    public int maxSeqLenFor(int modelLimit) {
        int wanted = limits.maxSeqLen().orElse(modelLimit);
        if (wanted > modelLimit && !limits.allowLongerThanModel()) {
            throw mustBe(
                    "max_seq_len",
                    "<= " + modelLimit
                            + " (max_position_embeddings of the model; rondo.allow_longer_than_model lifts it)");
        }
        return wanted;
    }

    /** Rule 7: the pools hold no sequence of an explicit {@code max_seq_len}. */
    public UserError tooLongForPools(long longest, long kvBytes) {
        return mustBe(
                "max_seq_len",
                "<= " + longest + " (KV cache of " + ByteSize.rounded(kvBytes) + " holds no longer sequence)");
    }

    /** Fails unless a prompt of {@code max_input_len} leaves room for a token of output. */
    public void checkMaxInputLen(int maxSeqLen) {
        if (limits.maxInputLen().isPresent() && limits.maxInputLen().getAsInt() >= maxSeqLen) {
            throw mustBe("max_input_len", "< " + maxSeqLen + " (max_seq_len)");
        }
    }

    /** The machine's memory does not hold the host tier. */
    public UserError hostTooBig(long most) {
        return mustBe(
                HOST, "<= " + ByteSize.atMost(most) + " (free host memory less 4 GiB)", ByteSize.exact(kv.hostBytes()));
    }

    /** Not one page of the host tier can be made. */
    public UserError hostTooSmall(long least) {
        return mustBe(
                HOST,
                "0 or >= " + least + " (bytes from which on each pool has a page)",
                ByteSize.exact(kv.hostBytes()));
    }

    /** Notices on what the model makes of the settings. */
    public List<Notice> noticesFor(List<LifeCycle> lifeCycles) {
        boolean sliding = lifeCycles.stream().anyMatch(cycle -> !cycle.isFull());
        if (kv.endpointRewind() == 0 || sliding) {
            return List.of();
        }
        Setting rewind = effective.settings().get("kv_cache_config.block_reuse_config.swa_endpoint_rewind_tokens");
        if (!rewind.isSet()) {
            return List.of();
        }
        return List.of(new Notice(
                Notice.Level.INFO,
                "config notice: " + rewind.path() + "=" + rewind.show()
                        + " has no effect in rondo: the model has no sliding layers ("
                        + rewind.origin().cite() + ")"));
    }

    /** Fails unless {@code pool_ratio}, if given, has one entry per life cycle. */
    public void checkLifeCycles(int count) {
        if (!kv.poolRatio().isEmpty() && kv.poolRatio().size() != count) {
            throw mustBe(
                    "kv_cache_config.pool_ratio",
                    "a list of " + count + (count == 1 ? " number" : " numbers") + " (one per life cycle)");
        }
    }

    /** Whether somebody has set a key, in the file or on the command line. */
    public boolean isGiven(String path) {
        return !(effective.origin(path) instanceof Origin.Default);
    }

    /** The error of a value that turned out wrong once the model was known, with the place where it was written. */
    public UserError mustBe(String path, String expected) {
        return mustBe(path, expected, effective.settings().get(path).show());
    }

    private UserError mustBe(String path, String expected, String got) {
        Setting setting = effective.settings().get(path);
        return new UserError(
                UserError.USAGE,
                "config: " + path + " must be " + expected + ", got " + got + " ("
                        + setting.origin().cite() + ")");
    }

    /** The same with the effective {@code max_seq_len} and where it comes from, where the file does not name it. */
    public Effective settled(int maxSeqLen, String from) {
        return limits.maxSeqLen().isPresent() ? effective : effective.settled("max_seq_len", maxSeqLen, from);
    }
}
