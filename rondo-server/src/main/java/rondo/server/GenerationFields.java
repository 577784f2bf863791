package rondo.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import rondo.engine.StopRules;
import rondo.engine.sample.LogitBias;
import rondo.engine.sample.SamplingParams;
import tools.jackson.databind.JsonNode;

/**
 * The fields that chat and text completions share (serve-config.md §4.2), checked.
 *
 * @param model               asked for; empty = whatever is served
 * @param n                   choices per prompt
 * @param sampling            of choice 0; the others differ in their index only
 * @param topLogprobs         alternatives per token, 0 to 20; -1 = no logprobs
 * @param stops               strings that end a choice
 * @param includeStop         whether what ended the choice is part of its text
 * @param includeUsage        whether a stream ends with a usage chunk
 * @param continuousUsage     whether every chunk of a stream carries usage
 * @param cacheSalt           empty = none
 * @param conversation        id from {@code conversation_params}; empty = none
 * @param promptCacheKey      names the conversation where nothing else does; empty = none
 * @param truncatePrompt      keep so many last tokens of the prompt; 0 = all
 */
record GenerationFields(
        String model,
        int n,
        SamplingParams sampling,
        StopRules stopRules,
        int topLogprobs,
        List<String> stops,
        boolean includeStop,
        boolean stream,
        boolean includeUsage,
        boolean continuousUsage,
        boolean skipSpecialTokens,
        String cacheSalt,
        String conversation,
        String promptCacheKey,
        double priority,
        int truncatePrompt) {
    static final int MAX_CHOICES = 16;
    private static final double DEFAULT_PRIORITY = 0.5;
    private static final int MAX_STOPS = 16;
    private static final int MAX_STOP_LENGTH = 256;
    private static final int MAX_BIASES = 1024;
    private static final int MAX_TOP_LOGPROBS = 20;

    /** What the rules depend on beside the body. */
    record Context(ServedModel model, int vocabulary, int maxSeqLen, ServerOptions options) {}

    static GenerationFields read(Fields body, Context context, int topLogprobs) throws ApiError {
        boolean stream = body.flag("stream", false);
        Fields streamOptions = body.object("stream_options");
        boolean usageAsked = body.has("stream_options");
        if (usageAsked && !stream) {
            throw ApiError.invalid("stream_options", "'stream_options' is only allowed when 'stream' is true");
        }
        boolean includeUsage = usageAsked && streamOptions.flag("include_usage", true);
        boolean continuousUsage = usageAsked && streamOptions.flag("continuous_usage_stats", false);
        boolean ignoreEos = body.flag("ignore_eos", false);
        int minTokens = (int) body.integer("min_tokens", 0, 0, context.maxSeqLen());
        int[] stopIds = body.tokens("stop_token_ids", context.vocabulary());
        int n = (int) body.integer("n", 1, 1, MAX_CHOICES);
        noted(body, n);
        return new GenerationFields(
                body.text("model", ""),
                n,
                sampling(body, context),
                new StopRules(context.model().endIds(), stopIds, ignoreEos, minTokens),
                topLogprobs,
                stops(body),
                body.flag("include_stop_str_in_output", false),
                stream,
                includeUsage,
                continuousUsage,
                body.flag("skip_special_tokens", true) && !ignoreEos,
                body.notBlank("cache_salt"),
                body.object("conversation_params").notBlank("conversation_id"),
                body.text("prompt_cache_key", "").strip(),
                priority(body, context.options()),
                (int) body.integer("truncate_prompt_tokens", 0, 1, Integer.MAX_VALUE));
    }

    /** Of the chat form: a flag, and a count that needs it. */
    static int chatLogprobs(Fields body) throws ApiError {
        boolean wanted = body.flag("logprobs", false);
        int top = (int) body.integer("top_logprobs", 0, 0, MAX_TOP_LOGPROBS);
        if (top > 0 && !wanted) {
            throw ApiError.invalid("top_logprobs", "logprobs must be true when using top_logprobs");
        }
        return wanted ? top : -1;
    }

    /** Of the text form: a count. */
    static int completionLogprobs(Fields body) throws ApiError {
        return (int) body.integer("logprobs", -1, 0, MAX_TOP_LOGPROBS);
    }

    /**
     * The token limit asked for, or 0 if the request leaves it open.
     *
     * @param least 1, or 0 where nothing at all may be generated
     */
    static int maxTokens(Fields body, int least) throws ApiError {
        long old = body.integer("max_tokens", 0, least, Integer.MAX_VALUE);
        return (int) body.integer("max_completion_tokens", old, least, Integer.MAX_VALUE);
    }

    private static SamplingParams sampling(Fields body, Context context) throws ApiError {
        SamplingDefaults defaults = context.model().defaults();
        int topK = (int) body.integer("top_k", defaults.topK(), -1, Integer.MAX_VALUE);
        return new SamplingParams(
                (float) body.number("temperature", defaults.temperature(), Range.between(0, 2)),
                Math.max(topK, 0),
                (float) body.number("top_p", defaults.topP(), Range.above(0, 1)),
                (float) body.number("min_p", 0, Range.between(0, 1)),
                (float) body.number("repetition_penalty", 1, Range.above(0, 2)),
                (float) body.number("presence_penalty", 0, Range.between(-2, 2)),
                (float) body.number("frequency_penalty", 0, Range.between(-2, 2)),
                body.has("seed")
                        ? body.integer("seed", 0, Long.MIN_VALUE, Long.MAX_VALUE)
                        : ThreadLocalRandom.current().nextLong(),
                0,
                bias(body, context.vocabulary()));
    }

    private static LogitBias bias(Fields body, int vocabulary) throws ApiError {
        JsonNode map = body.raw("logit_bias");
        if (map == null) {
            return LogitBias.NONE;
        }
        if (!map.isObject()) {
            throw body.wrong("logit_bias", "an object of token ids and numbers", map);
        }
        if (map.size() > MAX_BIASES) {
            throw ApiError.invalid("logit_bias", "'logit_bias' must have at most 1024 entries, got " + map.size());
        }
        Map<Integer, Float> byToken = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : map.properties()) {
            JsonNode amount = entry.getValue();
            int id = tokenId(entry.getKey(), vocabulary);
            if (id < 0) {
                throw ApiError.invalid(
                        "logit_bias",
                        "'logit_bias' must have token ids from 0 to " + (vocabulary - 1) + " as keys, got \""
                                + Values.cut(entry.getKey()) + "\"");
            }
            if (!amount.isNumber() || !Range.between(-100, 100).holds(amount.doubleValue())) {
                throw ApiError.invalid(
                        "logit_bias",
                        "'logit_bias." + id + "' must be between -100 and 100, got " + Values.shown(amount));
            }
            byToken.put(id, amount.floatValue());
        }
        return LogitBias.of(byToken);
    }

    private static int tokenId(String key, int vocabulary) {
        try {
            int id = Integer.parseInt(key);
            return id < vocabulary ? id : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static List<String> stops(Fields body) throws ApiError {
        JsonNode value = body.raw("stop");
        if (value == null) {
            return List.of();
        }
        List<JsonNode> given = new ArrayList<>();
        if (value.isArray()) {
            value.forEach(given::add);
        } else {
            given.add(value);
        }
        if (given.size() > MAX_STOPS) {
            throw ApiError.invalid("stop", "'stop' must have at most 16 strings, got " + given.size());
        }
        List<String> stops = new ArrayList<>();
        for (JsonNode one : given) {
            if (!one.isString()) {
                throw body.wrong("stop", "a string or an array of strings", one);
            }
            String text = one.stringValue();
            if (text.isEmpty() || text.length() > MAX_STOP_LENGTH) {
                throw body.wrong("stop", "strings of 1 to 256 characters", one);
            }
            stops.add(text);
        }
        return List.copyOf(stops);
    }

    /** Fields that have one allowed value here, and those that are accepted and mean nothing. */
    private static void noted(Fields body, int n) throws ApiError {
        for (String name : List.of("user", "metadata", "store", "service_tier", "safety_identifier")) {
            body.raw(name);
        }
        body.flag("spaces_between_special_tokens", true);
        Unsupported.check(body);
        JsonNode bestOf = body.raw("best_of");
        if (bestOf != null && !(bestOf.isInt() && bestOf.intValue() == n)) {
            throw ApiError.unsupported("best_of", "it must be equal to 'n' or absent");
        }
    }

    private static double priority(Fields body, ServerOptions options) throws ApiError {
        double priority = body.number("priority", DEFAULT_PRIORITY, Range.between(0, 1));
        if (priority != DEFAULT_PRIORITY && !options.priorityQueue()) {
            throw ApiError.unsupported("priority", "the waiting queue does not go by priority");
        }
        return priority;
    }

    SamplingParams sampling(int choice) {
        SamplingParams s = sampling;
        return new SamplingParams(
                s.temperature(),
                s.topK(),
                s.topP(),
                s.minP(),
                s.repetitionPenalty(),
                s.presencePenalty(),
                s.frequencyPenalty(),
                s.seed(),
                choice,
                s.bias());
    }

    /** Refuses a model that is not the one served. */
    void checkModel(ServedModel served) throws ApiError {
        if (!model.isEmpty() && !model.equals(served.id())) {
            throw ApiError.noSuchModel(model, served.id());
        }
    }

    /** Names that no rule knows: a 400 where the server is strict. */
    static void checkUnknown(Fields body, boolean strict) throws ApiError {
        @Nullable String first = body.unknown().stream().findFirst().orElse(null);
        if (strict && first != null) {
            throw ApiError.invalid(Values.cut(first), "'" + Values.cut(first) + "' is not a known field");
        }
    }
}
