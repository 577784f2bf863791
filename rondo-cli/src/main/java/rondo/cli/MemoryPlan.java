package rondo.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import rondo.base.UserError;
import rondo.cli.config.ByteSize;
import rondo.cli.config.ServeConfig;
import rondo.engine.EngineOptions;
import rondo.engine.spi.ModelFacts;
import rondo.engine.spi.StepLimits;
import rondo.kv.KvLayout;
import rondo.kv.KvPools;
import rondo.kv.LifeCycle;
import rondo.kv.PoolSizing;

/**
 * How much memory the KV cache gets, how it is cut into pools, and how long a sequence may be.
 *
 * @param maxSeqLen   the effective {@code max_seq_len}, tokens
 * @param bound       what decides it
 * @param bytes       budget of the device tier
 * @param deviceBound the setting that decides it
 * @param hostBytes   budget of the host tier; 0 = none
 */
record MemoryPlan(
        KvPools pools, int maxSeqLen, LengthBound bound, long bytes, DeviceBound deviceBound, long hostBytes) {
    /** What decides the longest sequence. */
    enum LengthBound {
        /** {@code max_seq_len} is given. */
        SETTING,
        /** The model was trained for no more. */
        MODEL,
        /** Half of the KV cache holds no more. */
        POOLS
    }

    /** The smallest of the bounds that are given for the device tier. */
    enum DeviceBound {
        FRACTION("kv_cache_config.free_gpu_memory_fraction"),
        TOKENS("kv_cache_config.max_tokens"),
        BYTES("kv_cache_config.max_gpu_total_bytes"),
        /** The budget itself was given, whatever the file says. */
        GIVEN("given");

        final String key;

        DeviceBound(String key) {
            this.key = key;
        }
    }

    /** The bytes of the device tier, and what decides them. */
    private record Share(long bytes, DeviceBound bound) {
        static Share of(ServeConfig.Kv kv, KvLayout layout, long base) {
            Share share = new Share((long) (base * kv.memoryFraction().orElse(DEFAULT_FRACTION)), DeviceBound.FRACTION);
            if (kv.maxTokens().isPresent()) {
                long most = PoolSizing.bytesOfTokens(layout, kv.maxTokens().getAsInt());
                share = most < share.bytes ? new Share(most, DeviceBound.TOKENS) : share;
            }
            return kv.maxBytes() > 0 && kv.maxBytes() < share.bytes
                    ? new Share(kv.maxBytes(), DeviceBound.BYTES)
                    : share;
        }
    }

    private static final double DEFAULT_FRACTION = 0.9;

    /** The plan, or all that is wrong with it. */
    static MemoryPlan of(ServeConfig config, ModelFacts facts, MemoryBase memory) {
        return new Planner(config, facts, memory, Share.of(config.kv(), facts.layout(), memory.base())).plan();
    }

    /** The plan for a budget of device memory that is known already, whatever bounds the file gives. */
    static MemoryPlan of(ServeConfig config, ModelFacts facts, long bytes) {
        return new Planner(config, facts, MemoryBase.ofDevice(bytes), new Share(bytes, DeviceBound.GIVEN)).plan();
    }

    /** {@code free_gpu_memory_fraction} of some bytes, or less where another bound says so. */
    static long share(ServeConfig.Kv kv, KvLayout layout, long of) {
        return Share.of(kv, layout, of).bytes();
    }

    /** The largest step for which the budget is asked, before the effective length is known. */
    static StepLimits limits(ServeConfig config, int modelLimit) {
        int longest = config.limits().maxSeqLen().orElse(modelLimit);
        return EngineOptions.of(config.limits().maxBatchSize(), config.limits().maxNumTokens(), Math.max(2, longest))
                .limits();
    }

    private static UserError joined(List<UserError> problems) {
        if (problems.size() == 1) {
            return problems.getFirst();
        }
        return new UserError(
                problems.stream().mapToInt(UserError::exitCode).min().orElse(UserError.USAGE),
                String.join("\n", problems.stream().map(UserError::getMessage).toList()));
    }

    /** One plan in the making. */
    private static final class Planner {
        private final ServeConfig config;
        private final ServeConfig.Kv kv;
        private final ModelFacts facts;
        private final KvLayout layout;
        private final MemoryBase memory;
        private final Share share;
        private final List<UserError> problems = new ArrayList<>();

        Planner(ServeConfig config, ModelFacts facts, MemoryBase memory, Share share) {
            this.config = config;
            this.kv = config.kv();
            this.facts = facts;
            this.layout = facts.layout();
            this.memory = memory;
            this.share = share;
        }

        MemoryPlan plan() {
            int limit = tried(() -> config.maxSeqLenFor(facts.maxLength()), facts.maxLength());
            tried(() -> config.checkLifeCycles(layout.lifeCycles().size()));
            tried(() -> memory.check(config));
            checkHost(share.bytes());
            MemoryPlan plan = problems.isEmpty() ? fit(limit) : null;
            if (plan == null) {
                throw joined(problems);
            }
            return plan;
        }

        private @Nullable MemoryPlan fit(int limit) {
            long bytes = share.bytes();
            PoolSizing sizing = new PoolSizing(
                    layout,
                    bytes,
                    kv.hostBytes(),
                    kv.poolRatio(),
                    kv.avgSeqLen(),
                    kv.endpointRewind(),
                    config.limits().maxNumTokens());
            return switch (sizing.fit(config.limits().maxSeqLen(), limit)) {
                case PoolSizing.Outcome.Fits fits -> {
                    LengthBound bound = config.limits().maxSeqLen().isPresent()
                            ? LengthBound.SETTING
                            : fits.maxSeqLen() == limit ? LengthBound.MODEL : LengthBound.POOLS;
                    tried(() -> config.checkMaxInputLen(fits.maxSeqLen()));
                    yield withPages(new MemoryPlan(
                            fits.pools(), fits.maxSeqLen(), bound, bytes, share.bound(), kv.hostBytes()));
                }
                case PoolSizing.Outcome.TooLong tooLong -> {
                    problems.add(
                            config.limits().maxSeqLen().isPresent()
                                    ? config.tooLongForPools(tooLong.longest(), bytes)
                                    : new UserError(
                                            UserError.MEMORY,
                                            "memory: the KV cache of " + ByteSize.rounded(bytes)
                                                    + " holds not even one sequence of two blocks"));
                    yield null;
                }
            };
        }

        private void checkHost(long deviceBytes) {
            long most = memory.mostHostBytes(deviceBytes);
            if (kv.hostBytes() > most) {
                problems.add(config.hostTooBig(most));
            }
        }

        /** A host tier of which no page is made was not what anybody meant. */
        private @Nullable MemoryPlan withPages(MemoryPlan plan) {
            long pages = plan.pools.hostSlots().stream()
                    .mapToLong(Integer::longValue)
                    .sum();
            if (plan.hostBytes > 0 && pages == 0) {
                problems.add(config.hostTooSmall(leastHostBytes(plan)));
            }
            return problems.isEmpty() ? plan : null;
        }

        /** The bytes from which on every pool has a page on the host. */
        private long leastHostBytes(MemoryPlan plan) {
            double used = 0;
            int fewest = Integer.MAX_VALUE;
            for (int lc = 0; lc < layout.lifeCycles().size(); lc++) {
                int slots = plan.pools.deviceSlots().get(lc) - 1;
                used += (double) slots * layout.pageBytes().get(lc);
                fewest = Math.min(fewest, slots);
            }
            return (long) Math.ceil(used / fewest) + 1;
        }

        private void tried(Runnable check) {
            try {
                check.run();
            } catch (UserError e) {
                problems.add(e);
            }
        }

        private <T> T tried(Supplier<T> step, T otherwise) {
            try {
                return step.get();
            } catch (UserError e) {
                problems.add(e);
                return otherwise;
            }
        }
    }

    /** @param overlap whether one step is in flight while the next is planned, where the file does not say */
    EngineOptions engineOptions(ServeConfig config, boolean overlap) {
        ServeConfig.Scheduling scheduling = config.scheduling();
        return EngineOptions.of(config.limits().maxBatchSize(), config.limits().maxNumTokens(), maxSeqLen)
                .withChunkedPrefill(config.limits().chunkedPrefill())
                .withPrefixAware(scheduling.prefixAware() && config.kv().sharesAtOnce())
                .withQueue(scheduling.queueOrder(), scheduling.maxQueueSize(), scheduling.queuedTokens(maxSeqLen))
                .withTimeouts(scheduling.queueTimeoutMillis(), scheduling.requestTimeoutMillis())
                .withOverlap(scheduling.overlap().orElse(overlap))
                .withPreemption(scheduling.preemption())
                .withPolicies(scheduling.capacity(), scheduling.chunking())
                .withStarvation(scheduling.starvationMillis())
                .withStatistics(scheduling.statistics())
                .withBatchWait(scheduling.batchWaitMicros())
                .withIterLog(scheduling.printIterLog());
    }

    /** Why a sequence may be so long. */
    String lengthReason() {
        return switch (bound) {
            case SETTING -> "as configured";
            case MODEL -> "max_position_embeddings of the model";
            case POOLS -> "half of the KV cache of " + ByteSize.rounded(bytes) + " holds no longer sequence";
        };
    }

    /** One line per pool, one on the longest sequence. */
    void log(Logger log) {
        KvLayout layout = pools.layout();
        for (int lc = 0; lc < layout.lifeCycles().size(); lc++) {
            LifeCycle cycle = layout.lifeCycles().get(lc);
            int pages = pools.deviceSlots().get(lc) - 1;
            int hostPages = pools.hostSlots().get(lc);
            log.info(
                    "kv pool={} window={} page_bytes={} pages={} tokens={} bytes={} host_pages={} host_tokens={} host_bytes={}",
                    lc,
                    cycle.isFull() ? "full" : cycle.window(),
                    layout.pageBytes().get(lc),
                    pages,
                    (long) pages * layout.tokensPerBlock(),
                    pages * layout.pageBytes().get(lc),
                    hostPages,
                    (long) hostPages * layout.tokensPerBlock(),
                    hostPages * layout.pageBytes().get(lc));
            if (hostBytes > 0 && hostPages == 0) {
                log.warn(
                        "kv pool={} has no page on the host: kv_cache_config.host_cache_size={} is too small for its"
                                + " share, so what lies there cannot be continued from",
                        lc,
                        hostBytes);
            }
        }
        log.info("kv max_seq_len={} reason=\"{}\"", maxSeqLen, lengthReason());
    }
}
