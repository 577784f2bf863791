package rondo.server;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import rondo.engine.EngineInfo;
import rondo.engine.IterationRow;
import rondo.kv.KvStats;
import rondo.kv.Tier;
import tools.jackson.core.JsonGenerator;

/** Steps as JSON, with the field names of trtllm-serve's iteration statistics (serve-config.md §3.6). */
final class IterationJson {
    private final EngineInfo info;
    private final boolean requests;
    private final DateTimeFormatter stamp =
            DateTimeFormatter.ofPattern("MM-dd-yyyy HH:mm:ss.SSSSSS").withZone(ZoneId.systemDefault());

    /** @param requests whether each row lists its sequences */
    IterationJson(EngineInfo info, boolean requests) {
        this.info = info;
        this.requests = requests;
    }

    byte[] of(List<IterationRow> rows) {
        return JsonBytes.of(json -> {
            json.writeStartArray();
            for (IterationRow row : rows) {
                write(json, row);
            }
            json.writeEndArray();
        });
    }

    private void write(JsonGenerator json, IterationRow row) throws IOException {
        json.writeStartObject();
        json.writeNumberProperty("iter", row.iteration());
        json.writeNumberProperty("iterLatencyMS", millis(row.latencyNanos()));
        json.writeNumberProperty("numActiveRequests", row.active());
        json.writeNumberProperty("numQueuedRequests", row.queued());
        json.writeNumberProperty("numCompletedRequests", row.completed());
        json.writeNumberProperty("maxNumActiveRequests", info.maxBatchSize());
        json.writeNumberProperty("newActiveRequestsQueueLatencyMS", millis(row.queueNanos()));
        json.writeNumberProperty("gpuMemUsage", row.memory().device());
        json.writeNumberProperty("cpuMemUsage", row.memory().heap());
        json.writeNumberProperty("pinnedMemUsage", row.memory().pinned());
        json.writeStringProperty("timestamp", stamp.format(instant(row.epochMicros())));
        writeBatch(json, row);
        writeKv(json, row.kv());
        if (requests) {
            writeRequests(json, row.requests());
        }
        json.writeEndObject();
    }

    private static void writeBatch(JsonGenerator json, IterationRow row) throws IOException {
        IterationRow.Batch batch = row.batch();
        json.writeObjectPropertyStart("inflightBatchingStats");
        json.writeNumberProperty("numScheduledRequests", batch.prefillRuns() + batch.decodeRuns());
        json.writeNumberProperty("numContextRequests", batch.prefillRuns());
        json.writeNumberProperty("numGenRequests", batch.decodeRuns());
        json.writeNumberProperty("numPausedRequests", row.paused());
        json.writeNumberProperty("numCtxTokens", batch.prefillTokens());
        json.writeNumberProperty("microBatchId", 0);
        // Per sequence that decodes: 1, and more only where drafts are accepted.
        double perRun = batch.decodeRuns() == 0 ? 0 : batch.decodeTokens() / (double) batch.decodeRuns();
        json.writeNumberProperty("avgNumDecodedTokensPerIter", perRun);
        json.writeEndObject();
    }

    private void writeKv(JsonGenerator json, KvStats kv) throws IOException {
        KvStats.Counters counters = kv.counters();
        long total = 0;
        long held = 0;
        long free = 0;
        for (KvStats.Pool pool : kv.pools()) {
            if (pool.tier() == Tier.DEVICE) {
                total += pool.total();
                held += pool.held();
                free += pool.free() + pool.evictable();
            }
        }
        json.writeObjectPropertyStart("kvCacheStats");
        json.writeNumberProperty("maxNumBlocks", total);
        json.writeNumberProperty("freeNumBlocks", free);
        json.writeNumberProperty("usedNumBlocks", held);
        json.writeNumberProperty("tokensPerBlock", info.tokensPerBlock());
        long reused = counters.reusedFull() + counters.reusedPartial();
        json.writeNumberProperty("allocTotalBlocks", counters.allocated() + reused);
        json.writeNumberProperty("allocNewBlocks", counters.allocated());
        json.writeNumberProperty("reusedBlocks", reused);
        json.writeNumberProperty("missedBlocks", counters.missed());
        json.writeNumberProperty("cacheHitRate", kv.blockHitRate());
        json.writeArrayPropertyStart("byLifeCycle");
        for (KvStats.Pool pool : kv.pools()) {
            if (pool.tier() == Tier.DEVICE) {
                writePool(json, pool, host(kv, pool.lifeCycle()));
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static KvStats.Pool host(KvStats kv, int lifeCycle) {
        for (KvStats.Pool pool : kv.pools()) {
            if (pool.tier() == Tier.HOST && pool.lifeCycle() == lifeCycle) {
                return pool;
            }
        }
        return new KvStats.Pool(lifeCycle, Tier.HOST, 0, 0, 0, 0);
    }

    private static void writePool(JsonGenerator json, KvStats.Pool device, KvStats.Pool host) throws IOException {
        json.writeStartObject();
        json.writeNumberProperty("lifeCycle", device.lifeCycle());
        json.writeNumberProperty("maxNumBlocks", device.total());
        json.writeNumberProperty("freeNumBlocks", device.free());
        json.writeNumberProperty("evictableNumBlocks", device.evictable());
        json.writeNumberProperty("usedNumBlocks", device.held());
        json.writeNumberProperty("hostMaxNumBlocks", host.total());
        json.writeNumberProperty("hostFreeNumBlocks", host.free());
        json.writeNumberProperty("hostEvictableNumBlocks", host.evictable());
        json.writeNumberProperty("hostUsedNumBlocks", host.held());
        json.writeEndObject();
    }

    private static void writeRequests(JsonGenerator json, List<IterationRow.Request> rows) throws IOException {
        json.writeArrayPropertyStart("requestStats");
        for (IterationRow.Request r : rows) {
            json.writeStartObject();
            json.writeStringProperty("id", r.id());
            json.writeStringProperty("stage", r.stage().name());
            json.writeNumberProperty("contextPrefillPosition", r.prefilled());
            json.writeNumberProperty("numGeneratedTokens", r.generatedTokens());
            json.writeBooleanProperty("scheduled", r.scheduled());
            json.writeBooleanProperty("paused", r.paused());
            json.writeNumberProperty("numPromptTokens", r.promptTokens());
            json.writeNumberProperty("numCachedTokens", r.cachedTokens());
            json.writeNumberProperty("numPreemptions", r.preemptions());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static double millis(long nanos) {
        return nanos / 1_000 / 1e3;
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
    }
}
