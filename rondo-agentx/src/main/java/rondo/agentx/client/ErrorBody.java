package rondo.agentx.client;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import rondo.agentx.client.ChunkReader.StreamError;
import rondo.agentx.replay.Outcome;
import rondo.base.Json;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** What an error answer says, and whether it says that the prompt was too long (agentx-protocol.md W5, W6). */
final class ErrorBody {
    private static final int LONGEST_MESSAGE = 500;

    private ErrorBody() {}

    /** The error object {@code {"message", "type", "code"}}, or a plain string. */
    static StreamError of(JsonNode error, int otherwiseCode) {
        if (!error.isObject()) {
            return new StreamError(otherwiseCode, "ServerError", shorten(error.asString(error.toString())));
        }
        JsonNode code = error.path("code");
        JsonNode type = error.path("type");
        return new StreamError(
                code.isInt() ? code.intValue() : otherwiseCode,
                type.isString() ? type.stringValue() : "ServerError",
                shorten(error.path("message").asString(error.toString())));
    }

    /** The outcome of an answer with a status that is not 2xx. */
    static Outcome outcome(int status, byte[] body, List<String> overflowPhrases) {
        String text = new String(body, StandardCharsets.UTF_8);
        StreamError error = new StreamError(status, "HTTPError", shorten(text));
        try {
            JsonNode root = Json.mapper().readTree(body);
            JsonNode inner = root.path("error");
            if (inner.isObject() || inner.isString()) {
                StreamError said = of(inner, status);
                error = new StreamError(status, said.type(), said.message());
            }
        } catch (JacksonException e) {
            // not JSON: the text itself is the message
        }
        return classify(error, text, overflowPhrases);
    }

    /** An overflow if {@code wholeText} has one of the phrases, whatever the case of its letters. */
    static Outcome classify(StreamError error, String wholeText, List<String> overflowPhrases) {
        String lower = wholeText.toLowerCase(Locale.ROOT);
        for (String phrase : overflowPhrases) {
            if (lower.contains(phrase.toLowerCase(Locale.ROOT))) {
                return new Outcome.Overflow(error.code(), error.type(), error.message());
            }
        }
        return new Outcome.Failed(error.code(), error.type(), error.message());
    }

    private static String shorten(String text) {
        return text.length() <= LONGEST_MESSAGE ? text : text.substring(0, LONGEST_MESSAGE) + "…";
    }
}
