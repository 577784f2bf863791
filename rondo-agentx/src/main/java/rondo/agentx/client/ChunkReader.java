package rondo.agentx.client;

import java.io.StringWriter;
import java.util.Optional;
import java.util.OptionalInt;
import rondo.agentx.replay.Usage;
import rondo.base.Json;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads one chunk of a streamed chat completion, token by token, and keeps only what a measurement needs
 * (agentx-protocol.md W4). Reused for all chunks of a response; each {@link #read} resets the chunk's own fields.
 */
final class ChunkReader {
    /** An error object in the stream. */
    record StreamError(int code, String type, String message) {}

    /** Everything that the answer said, kept until the server's own count makes it superfluous. */
    private final StringWriter text = new StringWriter();

    private boolean content;
    private boolean reasoning;
    private boolean finished;
    private Usage usage = Usage.NONE;
    private Optional<StreamError> error = Optional.empty();

    /** Whether the last chunk held text, a tool call's text or reasoning. */
    boolean hasAnyContent() {
        return content || reasoning;
    }

    /** Whether the last chunk held something that is not reasoning. */
    boolean hasOutput() {
        return content;
    }

    /** Whether any chunk gave a finish reason. */
    boolean finished() {
        return finished;
    }

    /** The last usage object that was not empty. */
    Usage usage() {
        return usage;
    }

    Optional<StreamError> error() {
        return error;
    }

    String text() {
        return text.toString();
    }

    /** Reads one chunk; throws Jackson's exception if it is not a JSON object. */
    void read(byte[] bytes, int from, int length) {
        content = false;
        reasoning = false;
        try (JsonParser json = Json.mapper().createParser(bytes, from, length)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                json.readValueAsTree();
                error = Optional.of(new StreamError(200, "InvalidStream", "a chunk is not a JSON object"));
                return;
            }
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String key = json.currentName();
                JsonToken value = json.nextToken();
                switch (key) {
                    case "choices" -> choices(json, value);
                    case "usage" -> usage(json, value);
                    case "error" -> error(json, value);
                    default -> json.skipChildren();
                }
            }
        }
    }

    private void choices(JsonParser json, JsonToken value) {
        if (value != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        boolean first = true;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (first && json.currentToken() == JsonToken.START_OBJECT) {
                choice(json);
            } else {
                json.skipChildren();
            }
            first = false;
        }
    }

    private void choice(JsonParser json) {
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            if (key.equals("delta") && value == JsonToken.START_OBJECT) {
                delta(json);
            } else if (key.equals("finish_reason")) {
                finished |= value == JsonToken.VALUE_STRING;
            } else {
                json.skipChildren();
            }
        }
    }

    private void delta(JsonParser json) {
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            switch (key) {
                case "content" -> content |= take(json, value);
                case "reasoning_content", "reasoning" -> reasoning |= take(json, value);
                case "tool_calls" -> toolCalls(json, value);
                default -> json.skipChildren();
            }
        }
    }

    private void toolCalls(JsonParser json, JsonToken value) {
        if (value != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        int depth = 1;
        while (depth > 0) {
            JsonToken token = json.nextToken();
            if (token == JsonToken.START_ARRAY || token == JsonToken.START_OBJECT) {
                depth++;
            } else if (token == JsonToken.END_ARRAY || token == JsonToken.END_OBJECT) {
                depth--;
            } else if (token == JsonToken.VALUE_STRING) {
                String name = json.currentName();
                if ("name".equals(name) || "arguments".equals(name)) {
                    content |= take(json, token);
                }
            }
        }
    }

    private boolean take(JsonParser json, JsonToken value) {
        if (value != JsonToken.VALUE_STRING) {
            json.skipChildren();
            return false;
        }
        return json.getString(text) > 0;
    }

    private void usage(JsonParser json, JsonToken value) {
        if (value != JsonToken.START_OBJECT) {
            json.skipChildren();
            return;
        }
        OptionalInt prompt = OptionalInt.empty();
        OptionalInt completion = OptionalInt.empty();
        OptionalInt cached = OptionalInt.empty();
        boolean any = false;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String key = json.currentName();
            JsonToken token = json.nextToken();
            any = true;
            switch (key) {
                case "prompt_tokens" -> prompt = count(json, token);
                case "completion_tokens" -> completion = count(json, token);
                case "cache_read_input_tokens" -> cached = cached.isPresent() ? cached : count(json, token);
                case "prompt_tokens_details" -> {
                    OptionalInt detail = cachedDetail(json, token);
                    cached = detail.isPresent() ? detail : cached;
                }
                default -> json.skipChildren();
            }
        }
        if (any) {
            usage = new Usage(prompt, completion, cached);
        }
    }

    private static OptionalInt cachedDetail(JsonParser json, JsonToken value) {
        OptionalInt cached = OptionalInt.empty();
        if (value != JsonToken.START_OBJECT) {
            json.skipChildren();
            return cached;
        }
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String key = json.currentName();
            JsonToken token = json.nextToken();
            if (key.equals("cached_tokens")) {
                cached = count(json, token);
            } else {
                json.skipChildren();
            }
        }
        return cached;
    }

    private static OptionalInt count(JsonParser json, JsonToken value) {
        if (value == JsonToken.VALUE_NUMBER_INT && json.getLongValue() >= 0) {
            return OptionalInt.of((int) Math.min(Integer.MAX_VALUE, json.getLongValue()));
        }
        json.skipChildren();
        return OptionalInt.empty();
    }

    private void error(JsonParser json, JsonToken value) {
        if (value == JsonToken.VALUE_NULL) {
            return;
        }
        error = Optional.of(ErrorBody.of(json.readValueAsTree(), 500));
    }
}
