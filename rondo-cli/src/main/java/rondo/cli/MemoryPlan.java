package rondo.cli;

import java.util.Locale;
import org.slf4j.Logger;
import rondo.base.UserError;
import rondo.cli.config.ServeConfig;
import rondo.engine.EngineOptions;
import rondo.engine.spi.Executor;
import rondo.engine.spi.ModelFacts;
import rondo.kv.KvLayout;
import rondo.kv.KvPools;
import rondo.kv.LifeCycle;
import rondo.kv.PoolSizing;

/** How much memory the KV cache gets, how it is cut into pools, and how long a sequence may be. */
record MemoryPlan(KvPools pools, int maxSeqLen, long bytes) {
    /** Share of the available memory that is the base of {@code free_gpu_memory_fraction} on a CPU. */
    private static final double CPU_SHARE = 0.25;

    private static final double DEFAULT_FRACTION = 0.9;

    static MemoryPlan of(ServeConfig config, Executor executor) {
        ModelFacts facts = executor.model();
        int limit = config.maxSeqLenFor(facts.maxLength());
        return of(config, facts, bytes(config, executor, facts.layout(), limit));
    }

    /** The plan for a budget of device memory that is known already. */
    static MemoryPlan of(ServeConfig config, ModelFacts facts, long bytes) {
        KvLayout layout = facts.layout();
        config.checkLifeCycles(layout.lifeCycles().size());
        int limit = config.maxSeqLenFor(facts.maxLength());
        PoolSizing sizing = new PoolSizing(
                layout,
                bytes,
                0,
                config.kv().poolRatio(),
                config.kv().avgSeqLen(),
                config.kv().endpointRewind());
        return switch (sizing.fit(config.limits().maxSeqLen(), limit)) {
            case PoolSizing.Outcome.Fits fits -> new MemoryPlan(fits.pools(), fits.maxSeqLen(), bytes);
            case PoolSizing.Outcome.TooLong tooLong -> {
                if (config.limits().maxSeqLen().isPresent()) {
                    throw config.tooLongForPools(tooLong.longest(), bytes);
                }
                throw new UserError(
                        UserError.MEMORY,
                        String.format(
                                Locale.ROOT,
                                "memory: the KV cache of %.1f MiB holds not even one sequence of two blocks",
                                bytes / (double) (1 << 20)));
            }
        };
    }

    /** The smallest of all bounds that are given. */
    private static long bytes(ServeConfig config, Executor executor, KvLayout layout, int maxSeqLen) {
        int batch = config.limits().maxBatchSize();
        int step = config.limits().maxNumTokens();
        long free = executor.budget(EngineOptions.of(batch, step, maxSeqLen).limits())
                .deviceBytes();
        long base = config.cpu().kvBase().orElse((long) (free * CPU_SHARE));
        if (base > free) {
            throw config.mustBe(
                    "rondo.cpu_kv_base", "<= " + free + " (bytes free after the weights and the largest step)");
        }
        return share(config.kv(), layout, base);
    }

    /** {@code free_gpu_memory_fraction} of some bytes, or less where another bound says so. */
    static long share(ServeConfig.Kv kv, KvLayout layout, long of) {
        long bytes = (long) (of * kv.memoryFraction().orElse(DEFAULT_FRACTION));
        if (kv.maxTokens().isPresent()) {
            bytes = Math.min(
                    bytes, PoolSizing.bytesOfTokens(layout, kv.maxTokens().getAsInt()));
        }
        return kv.maxBytes() > 0 ? Math.min(bytes, kv.maxBytes()) : bytes;
    }

    EngineOptions engineOptions(ServeConfig config) {
        ServeConfig.Scheduling scheduling = config.scheduling();
        return EngineOptions.of(config.limits().maxBatchSize(), config.limits().maxNumTokens(), maxSeqLen)
                .withChunkedPrefill(config.limits().chunkedPrefill())
                .withPrefixAware(scheduling.prefixAware() && config.kv().blockReuse())
                .withQueue(EngineOptions.QueueOrder.FCFS, scheduling.maxQueueSize(), scheduling.queuedTokens(maxSeqLen))
                .withTimeouts(scheduling.queueTimeoutMillis(), scheduling.requestTimeoutMillis())
                .withIterLog(scheduling.printIterLog());
    }

    /** One line per pool. */
    void log(Logger log) {
        KvLayout layout = pools.layout();
        for (int lc = 0; lc < layout.lifeCycles().size(); lc++) {
            LifeCycle cycle = layout.lifeCycles().get(lc);
            int pages = pools.deviceSlots().get(lc) - 1;
            log.info(
                    "kv pool={} window={} pages={} tokens={} mib={}",
                    lc,
                    cycle.isFull() ? "full" : cycle.window(),
                    pages,
                    (long) pages * layout.tokensPerBlock(),
                    pages * layout.pageBytes().get(lc) >> 20);
        }
    }
}
