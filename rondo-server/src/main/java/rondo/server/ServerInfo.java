package rondo.server;

import java.io.IOException;
import rondo.engine.EngineInfo;
import rondo.engine.EngineStats;
import rondo.kv.KvStats;
import rondo.kv.Tier;
import tools.jackson.core.JsonGenerator;

/** What the server tells about itself: models, version, health, statistics (serve-config.md §3.4, §3.6). */
final class ServerInfo {
    private final Front front;
    private final long createdSeconds = System.currentTimeMillis() / 1000;
    private long lastRowSteps = -1;

    ServerInfo(Front front) {
        this.front = front;
    }

    byte[] models() {
        return JsonBytes.of(json -> {
            json.writeStartObject();
            json.writeStringProperty("object", "list");
            json.writeArrayPropertyStart("data");
            writeModel(json);
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    byte[] model(String id) throws ApiError {
        if (!id.equals(front.model().id())) {
            throw ApiError.noSuchModel(id, front.model().id());
        }
        return JsonBytes.of(this::writeModel);
    }

    private void writeModel(JsonGenerator json) throws IOException {
        EngineInfo info = front.service().info();
        WeightSummary weights = front.model().weights();
        json.writeStartObject();
        json.writeStringProperty("id", front.model().id());
        json.writeStringProperty("object", "model");
        json.writeNumberProperty("created", createdSeconds);
        json.writeStringProperty("owned_by", "rondo");
        json.writeNumberProperty("max_model_len", info.maxSeqLen());
        json.writeObjectPropertyStart("rondo");
        json.writeNumberProperty("max_num_tokens", info.maxNumTokens());
        json.writeNumberProperty("max_batch_size", info.maxBatchSize());
        json.writeNumberProperty("tokens_per_block", info.tokensPerBlock());
        json.writeNumberProperty("stream_interval", front.options().streamInterval());
        json.writeBooleanProperty("deterministic", front.model().deterministic());
        json.writeBooleanProperty("guided_decoding", false);
        json.writeObjectPropertyStart("weights");
        json.writeNumberProperty("consumed", weights.consumed());
        json.writeNumberProperty("skipped", weights.skipped());
        json.writeStringProperty("rule", weights.rule());
        json.writeNumberProperty("missing", weights.missing());
        json.writeNumberProperty("left_over", weights.leftOver());
        json.writeEndObject();
        json.writeEndObject();
        json.writeEndObject();
    }

    byte[] version() {
        return JsonBytes.of(json -> {
            json.writeStartObject();
            json.writeStringProperty("version", front.model().version());
            json.writeEndObject();
        });
    }

    static byte[] status(String state) {
        return JsonBytes.of(json -> {
            json.writeStartObject();
            json.writeStringProperty("status", state);
            json.writeEndObject();
        });
    }

    String prometheus() {
        return front.metrics()
                .prometheus(
                        front.model().id(),
                        front.service().stats(),
                        front.events().counts(),
                        front.options().metricsAlias());
    }

    /**
     * The rows since the last read. The engine publishes its newest snapshot, so this is one row at most: none if no
     * step has been made since.
     */
    synchronized byte[] iterations() {
        EngineStats stats = front.service().stats();
        boolean fresh = stats.steps() != lastRowSteps;
        lastRowSteps = stats.steps();
        return JsonBytes.of(json -> {
            json.writeStartArray();
            if (fresh) {
                writeRow(json, stats);
            }
            json.writeEndArray();
        });
    }

    private void writeRow(JsonGenerator json, EngineStats stats) throws IOException {
        json.writeStartObject();
        json.writeNumberProperty("iter", stats.steps());
        json.writeNumberProperty("numActiveRequests", stats.running());
        json.writeNumberProperty("numQueuedRequests", stats.waiting());
        json.writeNumberProperty("numCompletedRequests", stats.finished());
        json.writeNumberProperty("maxNumActiveRequests", front.service().info().maxBatchSize());
        json.writeObjectPropertyStart("kvCacheStats");
        KvStats.Counters counters = stats.kv().counters();
        long total = 0;
        long held = 0;
        long free = 0;
        for (KvStats.Pool pool : stats.kv().pools()) {
            if (pool.tier() == Tier.DEVICE) {
                total += pool.total();
                held += pool.held();
                free += pool.free() + pool.evictable();
            }
        }
        json.writeNumberProperty("maxNumBlocks", total);
        json.writeNumberProperty("freeNumBlocks", free);
        json.writeNumberProperty("usedNumBlocks", held);
        json.writeNumberProperty("tokensPerBlock", front.service().info().tokensPerBlock());
        json.writeNumberProperty("allocTotalBlocks", counters.allocated());
        json.writeNumberProperty("reusedBlocks", counters.reusedFull() + counters.reusedPartial());
        json.writeNumberProperty("missedBlocks", counters.missed());
        json.writeNumberProperty("cacheHitRate", stats.kv().blockHitRate());
        json.writeArrayPropertyStart("byLifeCycle");
        for (KvStats.Pool pool : stats.kv().pools()) {
            json.writeStartObject();
            json.writeNumberProperty("lifeCycle", pool.lifeCycle());
            json.writeStringProperty("tier", pool.tier() == Tier.HOST ? "host" : "device");
            json.writeNumberProperty("maxNumBlocks", pool.total());
            json.writeNumberProperty("freeNumBlocks", pool.free());
            json.writeNumberProperty("evictableNumBlocks", pool.evictable());
            json.writeNumberProperty("usedNumBlocks", pool.held());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeEndObject();
    }
}
