package rondo.text.parse;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import rondo.base.UserError;
import rondo.text.Tokenizer.AddedToken;

/**
 * Which parsers an answer goes through, by name or found out from the checkpoint (models.md §10).
 *
 * @param tools     name of the tool parser, or {@code none}
 * @param reasoning name of the reasoning parser, or {@code none}
 * @param reason    why, for the start-up log
 * @param calls     how calls are written; means nothing where {@code tools} is none
 */
public record OutputParsers(String tools, String reasoning, String reason, CallFormat calls) {
    /** Tags without line breaks. */
    public OutputParsers(String tools, String reasoning, String reason) {
        this(tools, reasoning, reason, CallFormat.tagged(""));
    }

    private static final String NONE = "none";
    private static final String AUTO = "auto";
    private static final Set<String> TOOLS =
            Set.of(AUTO, "muse_glimmer", "gpt_oss", "qwen3", "hermes", "llama3_json", NONE);
    private static final Set<String> REASONING = Set.of(AUTO, "muse_glimmer", "gpt_oss", "qwen3", "deepseek_r1", NONE);
    private static final Set<String> BUILT_TOOLS = Set.of("hermes", "qwen3", NONE);
    private static final Set<String> BUILT_REASONING = Set.of("qwen3", "deepseek_r1", NONE);

    /**
     * Chooses the parsers.
     *
     * @param toolParser      {@code tool_parser} of the configuration
     * @param reasoningParser {@code reasoning_parser} of the configuration
     * @param template        the chat template's source
     */
    public static OutputParsers choose(
            String toolParser,
            String reasoningParser,
            List<AddedToken> addedTokens,
            Optional<String> template,
            String modelType) {
        check("tool_parser", toolParser, TOOLS, BUILT_TOOLS);
        check("reasoning_parser", reasoningParser, REASONING, BUILT_REASONING);
        OutputParsers found = find(addedTokens, template.orElse(""), modelType);
        String tools = toolParser.equals(AUTO) ? built(found.tools, BUILT_TOOLS) : toolParser;
        String reasoning = reasoningParser.equals(AUTO) ? built(found.reasoning, BUILT_REASONING) : reasoningParser;
        String reason = found.reason;
        if (toolParser.equals(AUTO) && !tools.equals(found.tools)) {
            reason += "; tool parser " + found.tools + " is not built yet";
        }
        if (reasoningParser.equals(AUTO) && !reasoning.equals(found.reasoning)) {
            reason += "; reasoning parser " + found.reasoning + " is not built yet";
        }
        boolean chosen = toolParser.equals(AUTO) || reasoningParser.equals(AUTO);
        return new OutputParsers(tools, reasoning, chosen ? reason : "configured", found.calls);
    }

    /** Whether answers can hold calls at all. */
    public boolean readsCalls() {
        return !tools.equals(NONE);
    }

    /** Whether reasoning is told from the answer. */
    public boolean readsReasoning() {
        return !reasoning.equals(NONE);
    }

    /** What stands around reasoning; empty where no parser reads it. */
    public Optional<ReasoningMarks> reasoningMarks() {
        return readsReasoning() ? Optional.of(ReasoningMarks.THINK) : Optional.empty();
    }

    /**
     * Where an answer to this prompt begins: the tags at its very end decide, and never those in somebody's text.
     *
     * @param promptTail the last characters of the prompt, special tokens included
     */
    public ReasoningStart startOf(String promptTail) {
        String tail = promptTail.stripTrailing();
        if (!readsReasoning() || tail.endsWith(ReasoningMarks.THINK.close())) {
            return ReasoningStart.ANSWER;
        }
        boolean opened = tail.endsWith(ReasoningMarks.THINK.open());
        return opened || reasoning.equals("deepseek_r1") ? ReasoningStart.INSIDE : ReasoningStart.OPEN;
    }

    /** A parser for one answer; without tools in the request, calls are plain content. */
    public OutputParser open(boolean withTools, ReasoningStart start) {
        OutputParser calls = withTools && readsCalls() ? new HermesParser() : OutputParser.plain();
        return start == ReasoningStart.ANSWER ? calls : new ThinkParser(calls, start == ReasoningStart.INSIDE);
    }

    private static OutputParsers find(List<AddedToken> added, String template, String modelType) {
        CallFormat calls = CallFormat.tagged(template);
        if ((has(added, "<|message|>") || template.contains("<|message|>")) && template.contains("atem:")) {
            return new OutputParsers("muse_glimmer", "muse_glimmer", "template has <|message|> and atem:", calls);
        }
        if (has(added, "<tool_call>")) {
            boolean thinks = has(added, "<think>") || template.contains("<think>");
            return new OutputParsers(
                    "hermes",
                    thinks ? "qwen3" : NONE,
                    "added token <tool_call>" + (thinks ? " and <think>" : ", no <think>"),
                    calls);
        }
        String reason = "model_type " + modelType;
        return switch (modelType) {
            case "muse_glimmer" -> new OutputParsers("muse_glimmer", "muse_glimmer", reason, calls);
            case "gpt_oss" -> new OutputParsers("gpt_oss", "gpt_oss", reason, calls);
            case "qwen3", "qwen3_moe" -> new OutputParsers("hermes", "qwen3", reason, calls);
            case "llama" -> new OutputParsers("llama3_json", NONE, reason, calls);
            default -> new OutputParsers(NONE, NONE, reason + " has no known format", calls);
        };
    }

    private static boolean has(List<AddedToken> added, String content) {
        return added.stream().anyMatch(t -> t.content().equals(content));
    }

    private static String built(String name, Set<String> built) {
        return built.contains(name) ? name : NONE;
    }

    private static void check(String key, String value, Set<String> known, Set<String> built) {
        if (!known.contains(value)) {
            throw new UserError(
                    UserError.USAGE,
                    "config: " + key + " must be one of "
                            + String.join(", ", known.stream().sorted().toList()) + ", got '" + value + "'");
        }
        if (!value.equals(AUTO) && !built.contains(value)) {
            throw new UserError(
                    UserError.USAGE, "config: " + key + "=" + value + " is not supported by rondo: not built yet");
        }
    }
}
