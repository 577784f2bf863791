package rondo.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What can be set about the front; names follow the keys of the YAML file.
 *
 * @param host                  address to listen on
 * @param port                  0 = any free one
 * @param numPostprocessWorkers threads that turn tokens into text; 0 = one built-in worker
 * @param streamInterval        tokens per SSE chunk after the first
 * @param maxRequestBytes       largest body; beyond → 413
 * @param requestTimeoutMs      longest life of a request; 0 = no limit
 * @param clampMaxTokens        whether {@code max_tokens} is cut to what the context leaves, instead of a 400
 * @param apiKeys               keys of which one must be sent as {@code Authorization: Bearer}; empty = none needed
 * @param apiKeysFile           a file with more keys, read again when it changes
 * @param corsOrigins           origins whose pages may read answers in a browser; {@code *} = all
 * @param buckets               bounds of histograms by name, in seconds; those that are not named keep their own
 * @param metricsFormat         what {@code GET /metrics} answers
 * @param metricsAlias          whether every metric is written under its {@code trtllm_} name too
 * @param iterPerfStats         whether {@code GET /metrics} gives the steps where it answers JSON
 * @param iterReqStats          whether the steps list their sequences
 * @param maxInputLen           longest prompt, in tokens; 0 = no limit of its own
 * @param strictBody            whether unknown fields of a body are a 400
 * @param requestTemplates      whether a request may bring its own chat template
 * @param openSchemas           whether a schema that says nothing of additionalProperties allows them in guided output
 * @param maxCharsPerToken      a text of more than this many characters per token of the context is refused unread
 * @param returnPerfMetrics     whether a request may ask for its own timings by a header
 * @param priorityQueue         whether the waiting queue goes by priority, so that {@code priority} may be set
 * @param parseThreads          threads that parse, render templates and tokenize; 0 = by the machine
 * @param pingMillis            silence of a stream after which a comment is sent
 * @param keepAliveMillis       how long an idle connection is kept
 */
public record ServerOptions(
        String host,
        int port,
        int numPostprocessWorkers,
        int streamInterval,
        long maxRequestBytes,
        long requestTimeoutMs,
        boolean clampMaxTokens,
        List<String> apiKeys,
        Optional<Path> apiKeysFile,
        List<String> corsOrigins,
        Map<String, List<Double>> buckets,
        MetricsFormat metricsFormat,
        boolean metricsAlias,
        boolean iterPerfStats,
        boolean iterReqStats,
        int maxInputLen,
        boolean strictBody,
        boolean requestTemplates,
        boolean openSchemas,
        int maxCharsPerToken,
        boolean returnPerfMetrics,
        boolean priorityQueue,
        int parseThreads,
        long pingMillis,
        long keepAliveMillis) {
    /** Form of {@code /metrics}; AUTO goes by the request's {@code Accept}. */
    public enum MetricsFormat {
        AUTO,
        PROMETHEUS,
        JSON
    }

    public ServerOptions {
        apiKeys = List.copyOf(apiKeys);
        corsOrigins = List.copyOf(corsOrigins);
        buckets = Map.copyOf(buckets);
    }

    /** A builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Sets the options one by one; what is not set keeps its default. */
    public static final class Builder {
        private String host = "localhost";
        private int port = 8000;
        private int numPostprocessWorkers;
        private int streamInterval = 1;
        private long maxRequestBytes = 64L << 20;
        private long requestTimeoutMs;
        private boolean clampMaxTokens = true;
        private List<String> apiKeys = List.of();
        private Optional<Path> apiKeysFile = Optional.empty();
        private List<String> corsOrigins = List.of();
        private Map<String, List<Double>> buckets = Map.of();
        private MetricsFormat metricsFormat = MetricsFormat.AUTO;
        private boolean metricsAlias = true;
        private boolean iterPerfStats;
        private boolean iterReqStats;
        private int maxInputLen;
        private boolean strictBody;
        private boolean requestTemplates;
        private boolean openSchemas;
        private int maxCharsPerToken = 8;
        private boolean returnPerfMetrics;
        private boolean priorityQueue;
        private int parseThreads;
        private long pingMillis = 5_000;
        private long keepAliveMillis = 600_000;

        private Builder() {}

        public Builder host(String value) {
            host = value;
            return this;
        }

        public Builder port(int value) {
            port = value;
            return this;
        }

        public Builder numPostprocessWorkers(int value) {
            numPostprocessWorkers = value;
            return this;
        }

        public Builder streamInterval(int value) {
            streamInterval = value;
            return this;
        }

        public Builder maxRequestBytes(long value) {
            maxRequestBytes = value;
            return this;
        }

        public Builder requestTimeoutMs(long value) {
            requestTimeoutMs = value;
            return this;
        }

        public Builder clampMaxTokens(boolean value) {
            clampMaxTokens = value;
            return this;
        }

        public Builder apiKeys(List<String> value) {
            apiKeys = value;
            return this;
        }

        public Builder apiKeysFile(Path value) {
            apiKeysFile = Optional.of(value);
            return this;
        }

        public Builder corsOrigins(List<String> value) {
            corsOrigins = value;
            return this;
        }

        public Builder buckets(Map<String, List<Double>> value) {
            buckets = value;
            return this;
        }

        public Builder metricsFormat(MetricsFormat value) {
            metricsFormat = value;
            return this;
        }

        public Builder metricsAlias(boolean value) {
            metricsAlias = value;
            return this;
        }

        public Builder iterPerfStats(boolean value) {
            iterPerfStats = value;
            return this;
        }

        public Builder iterReqStats(boolean value) {
            iterReqStats = value;
            return this;
        }

        public Builder maxInputLen(int value) {
            maxInputLen = value;
            return this;
        }

        public Builder strictBody(boolean value) {
            strictBody = value;
            return this;
        }

        public Builder requestTemplates(boolean value) {
            requestTemplates = value;
            return this;
        }

        public Builder openSchemas(boolean value) {
            openSchemas = value;
            return this;
        }

        public Builder maxCharsPerToken(int value) {
            maxCharsPerToken = value;
            return this;
        }

        public Builder returnPerfMetrics(boolean value) {
            returnPerfMetrics = value;
            return this;
        }

        public Builder priorityQueue(boolean value) {
            priorityQueue = value;
            return this;
        }

        public Builder parseThreads(int value) {
            parseThreads = value;
            return this;
        }

        public Builder pingMillis(long value) {
            pingMillis = value;
            return this;
        }

        public Builder keepAliveMillis(long value) {
            keepAliveMillis = value;
            return this;
        }

        public ServerOptions build() {
            return new ServerOptions(
                    host,
                    port,
                    numPostprocessWorkers,
                    streamInterval,
                    maxRequestBytes,
                    requestTimeoutMs,
                    clampMaxTokens,
                    apiKeys,
                    apiKeysFile,
                    corsOrigins,
                    buckets,
                    metricsFormat,
                    metricsAlias,
                    iterPerfStats,
                    iterReqStats,
                    maxInputLen,
                    strictBody,
                    requestTemplates,
                    openSchemas,
                    maxCharsPerToken,
                    returnPerfMetrics,
                    priorityQueue,
                    parseThreads,
                    pingMillis,
                    keepAliveMillis);
        }
    }
}
