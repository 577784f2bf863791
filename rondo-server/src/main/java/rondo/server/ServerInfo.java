package rondo.server;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import rondo.engine.EngineInfo;
import tools.jackson.core.JsonGenerator;

/** What the server tells about itself: models, version, health, statistics (serve-config.md §3.4, §3.6). */
final class ServerInfo {
    private final Front front;
    private final long createdSeconds = System.currentTimeMillis() / 1000;
    private final IterationJson iterations;

    ServerInfo(Front front) {
        this.front = front;
        this.iterations =
                new IterationJson(front.service().info(), front.options().iterReqStats());
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
        json.writeBooleanProperty("guided_decoding", true);
        if (!front.events().about().isEmpty()) {
            json.writeObjectPropertyStart("kv_events");
            for (Map.Entry<String, String> fact : front.events().about().entrySet()) {
                json.writeStringProperty(fact.getKey(), fact.getValue());
            }
            json.writeEndObject();
        }
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
                        front.model().chat().cacheStats(),
                        front.options().metricsAlias());
    }

    /** The steps since the last read, oldest first. */
    byte[] iterations() {
        return iterations.of(front.service().drainIterations());
    }

    /** The same where {@code GET /metrics} is to have them; else nothing, and nothing is drained. */
    byte[] metricsRows() {
        return front.options().iterPerfStats() ? iterations() : iterations.of(List.of());
    }
}
