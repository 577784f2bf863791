package rondo.server;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import rondo.engine.EngineStats;
import tools.jackson.core.JsonGenerator;

/** A refusal as the client reads it: HTTP status and the OpenAI error object (serve-config.md §4.6). */
final class ApiError extends Exception {
    private static final int MAX_MESSAGE = 1000;

    final int status;
    final String type;
    final @Nullable String param;
    final @Nullable String code;
    /** Seconds for the header {@code Retry-After}; 0 = no such header. */
    final int retryAfter;

    private ApiError(
            int status, String type, @Nullable String param, @Nullable String code, int retryAfter, String message) {
        super(message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…", null, false, false);
        this.status = status;
        this.type = type;
        this.param = param;
        this.code = code;
        this.retryAfter = retryAfter;
    }

    /** A value that breaks a rule; {@code message} names the field. */
    static ApiError invalid(String param, String message) {
        return new ApiError(400, "invalid_request_error", param, null, 0, message);
    }

    /** A known field whose feature is not there. */
    static ApiError unsupported(String param, String why) {
        String message = "'" + param + "' is not supported: " + why;
        return new ApiError(400, "invalid_request_error", param, "unsupported_parameter", 0, message);
    }

    /** A schema, expression or grammar that cannot bind an output; {@code where} is a JSON pointer or a place in a text. */
    static ApiError unsupportedGrammar(String param, String where, String what) {
        String at = where.isEmpty() ? "" : " (at " + where + ")";
        return new ApiError(
                400, "invalid_request_error", param, "unsupported_schema", 0, "'" + param + "': " + what + at);
    }

    static ApiError invalidJson(String message) {
        return new ApiError(400, "invalid_request_error", null, "invalid_json", 0, message);
    }

    static ApiError contextLength(String param, long maxSeqLen, long prompt, long completion) {
        String message = "This model's maximum context length is " + maxSeqLen
                + " tokens. However, you requested " + (prompt + completion) + " tokens (" + prompt
                + " in the messages, " + completion
                + " in the completion). Please reduce the length of the input messages or completion.";
        return new ApiError(400, "invalid_request_error", param, "context_length_exceeded", 0, message);
    }

    /** In the words of the other one, because agents look for them. */
    static ApiError inputLength(String param, long maxInputLen, long prompt) {
        String message = "This model's maximum context length is " + maxInputLen
                + " tokens for the input (max_input_len). However, you requested " + prompt
                + " tokens in the messages. Please reduce the length of the input messages.";
        return new ApiError(400, "invalid_request_error", param, "context_length_exceeded", 0, message);
    }

    /** The request is well-formed, but could never run here. */
    static ApiError tooLarge(String message) {
        return new ApiError(400, "invalid_request_error", null, "request_too_large", 0, message);
    }

    static ApiError unauthorized() {
        return new ApiError(
                401,
                "authentication_error",
                null,
                "invalid_api_key",
                0,
                "a valid API key is required: Authorization: Bearer <key>, or X-Api-Key: <key>");
    }

    static ApiError noSuchPath(String path) {
        return new ApiError(404, "not_found_error", null, null, 0, "there is no " + Values.cut(path) + " here");
    }

    static ApiError noKvEvents() {
        String message = "no KV events are buffered here: kv_cache_config.event_buffer_max_size is 0";
        return new ApiError(404, "not_found_error", null, null, 0, message);
    }

    static ApiError noSuchModel(String asked, String served) {
        String message = "the model '" + Values.cut(asked) + "' is not served here; this is '" + served + "'";
        return new ApiError(404, "not_found_error", "model", "model_not_found", 0, message);
    }

    /** 405, 408, 413, 415 and 431. */
    static ApiError refused(int status, String message) {
        return new ApiError(status, "invalid_request_error", null, null, 0, message);
    }

    static ApiError queueFull(@Nullable String message) {
        return new ApiError(
                429, "rate_limit_error", null, "queue_full", 1, message == null ? "the queue is full" : message);
    }

    static ApiError internal(@Nullable String code, String message, String requestId) {
        return new ApiError(500, "internal_server_error", null, code, 0, message + " (request " + requestId + ")");
    }

    static ApiError notBuilt(String path) {
        return new ApiError(501, "not_implemented_error", null, null, 0, path + " is not built yet");
    }

    static ApiError notServing(EngineStats.State state) {
        return switch (state) {
            case STARTING ->
                new ApiError(503, "service_unavailable", null, "starting", 5, "the server is starting, try again");
            case FAILED, STOPPED ->
                new ApiError(503, "service_unavailable", null, "failed", 0, "the engine has failed");
            default -> draining();
        };
    }

    static ApiError draining() {
        return new ApiError(503, "service_unavailable", null, "draining", 5, "the server is shutting down");
    }

    static ApiError queueTimeout() {
        return new ApiError(
                503, "service_unavailable", null, "queue_timeout", 5, "the request waited too long in the queue");
    }

    static ApiError timeout() {
        return new ApiError(
                504, "timeout_error", null, null, 0, "the request took longer than rondo.request_timeout_ms");
    }

    /** Both shapes at once, so that OpenAI clients and those of vLLM and trtllm-serve read it. */
    byte[] body() {
        return JsonBytes.of(this::write);
    }

    void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeObjectPropertyStart("error");
        json.writeStringProperty("message", getMessage());
        json.writeStringProperty("type", type);
        json.writeStringProperty("param", param);
        json.writeStringProperty("code", code);
        json.writeEndObject();
        json.writeStringProperty("object", "error");
        json.writeStringProperty("message", getMessage());
        json.writeStringProperty("type", type);
        json.writeStringProperty("param", param);
        json.writeNumberProperty("code", status);
        json.writeEndObject();
    }
}
