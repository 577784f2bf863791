package rondo.agentx.client;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;

/**
 * The server under test and the form of the requests (agentx-protocol.md §6).
 *
 * @param urls             base addresses; {@code /v1/chat/completions} is appended; a tree stays with one
 * @param models           served names; the k-th recorded model of a trace goes to the k-th, wrapping around
 * @param headers          further headers, name to value
 * @param sessionHeader    header that carries the conversation's correlation id
 * @param legacyMaxTokens  {@code max_tokens} instead of {@code max_completion_tokens}
 * @param extraInputs      merged into every body, in order
 * @param perChunkUsage    asks for usage in every chunk
 * @param keepAlive        how long an idle connection is kept; must be below the server's
 * @param overflowPhrases  texts of an error that mean that the prompt was too long; empty: none does
 */
public record TargetOptions(
        List<URI> urls,
        List<String> models,
        Optional<String> apiKey,
        Map<String, String> headers,
        String sessionHeader,
        boolean affinityHeaders,
        boolean legacyMaxTokens,
        Map<String, JsonNode> extraInputs,
        boolean perChunkUsage,
        Duration requestTimeout,
        Duration keepAlive,
        List<String> overflowPhrases) {
    public static final List<String> OVERFLOW_PHRASES =
            List.of("context length", "maximum context", "context_length_exceeded", "prompt is too long");

    public TargetOptions {
        if (urls.isEmpty() || models.isEmpty()) {
            throw new UserError(UserError.USAGE, "bench: " + (urls.isEmpty() ? "--url" : "--model") + " is missing");
        }
        for (URI url : urls) {
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (!http || url.getHost() == null) {
                throw new UserError(UserError.USAGE, "bench: --url must be like http://host:port, got '" + url + "'");
            }
        }
        extraInputs = new LinkedHashMap<>(extraInputs);
    }

    /** One server, one model, everything else as the protocol's default. */
    public static TargetOptions of(URI url, String model) {
        return new TargetOptions(
                List.of(url),
                List.of(model),
                Optional.empty(),
                Map.of(),
                "X-Correlation-ID",
                false,
                false,
                Map.of(),
                false,
                Duration.ofSeconds(3600),
                Duration.ofSeconds(300),
                OVERFLOW_PHRASES);
    }

    public TargetOptions withExtraInputs(Map<String, JsonNode> inputs) {
        return new TargetOptions(
                urls,
                models,
                apiKey,
                headers,
                sessionHeader,
                affinityHeaders,
                legacyMaxTokens,
                inputs,
                perChunkUsage,
                requestTimeout,
                keepAlive,
                overflowPhrases);
    }

    public TargetOptions withRequestTimeout(Duration timeout) {
        return new TargetOptions(
                urls,
                models,
                apiKey,
                headers,
                sessionHeader,
                affinityHeaders,
                legacyMaxTokens,
                extraInputs,
                perChunkUsage,
                timeout,
                keepAlive,
                overflowPhrases);
    }

    public TargetOptions withApiKey(String key) {
        return new TargetOptions(
                urls,
                models,
                Optional.of(key),
                headers,
                sessionHeader,
                affinityHeaders,
                legacyMaxTokens,
                extraInputs,
                perChunkUsage,
                requestTimeout,
                keepAlive,
                overflowPhrases);
    }
}
