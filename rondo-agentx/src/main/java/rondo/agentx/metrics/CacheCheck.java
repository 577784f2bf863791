package rondo.agentx.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import rondo.agentx.plan.PromptText;
import rondo.agentx.plan.PromptText.Message;
import rondo.agentx.replay.TurnRequest;
import rondo.base.TokenIds;

/**
 * Whether the server's cached-token counts are what its prompts allow (agentx-protocol.md M7): for turn k ≥ 1 of a
 * main chain, common prefix with turn k-1 minus a block ≤ cached ≤ prompt - 1.
 *
 * @param checked    turns that could be judged
 * @param violations one line each
 */
public record CacheCheck(int checked, List<String> violations) {
    public boolean ok() {
        return violations.isEmpty();
    }

    /**
     * Judges all successful turns whose predecessor succeeded too.
     *
     * @param tokenize       messages to tokens as the server sees them, chat template included
     * @param tokensPerBlock of the server's cache
     */
    public static CacheCheck of(
            List<RequestRecord> records,
            PromptText text,
            Function<List<Message>, TokenIds> tokenize,
            int tokensPerBlock) {
        Map<String, List<RequestRecord>> chains = new LinkedHashMap<>();
        for (RequestRecord r : records) {
            if (r.request().stream().isRoot() && r.succeeded()) {
                chains.computeIfAbsent(r.request().correlationId(), k -> new ArrayList<>())
                        .add(r);
            }
        }
        List<String> violations = new ArrayList<>();
        int checked = 0;
        for (List<RequestRecord> chain : chains.values()) {
            chain.sort(Comparator.comparingInt(r -> r.request().turn()));
            TokenIds previous = TokenIds.empty();
            int previousTurn = -2;
            for (RequestRecord r : chain) {
                TurnRequest q = r.request();
                TokenIds prompt = tokenize.apply(text.messages(
                        q.play().plan(), q.stream(), q.turn(), q.play().marker()));
                if (previousTurn == q.turn() - 1) {
                    checked++;
                    judge(r, prompt, prompt.commonPrefix(previous), tokensPerBlock, violations);
                }
                previous = prompt;
                previousTurn = q.turn();
            }
        }
        return new CacheCheck(checked, List.copyOf(violations));
    }

    private static void judge(
            RequestRecord r, TokenIds prompt, int common, int tokensPerBlock, List<String> violations) {
        String where = r.request().stream().id() + " turn " + r.request().turn();
        OptionalInt cached = r.result().usage().cachedTokens();
        if (cached.isEmpty()) {
            violations.add(where + ": the server reports no cached tokens");
            return;
        }
        int reported = r.result().usage().promptTokens().orElse(prompt.length());
        if (reported != prompt.length()) {
            violations.add(where + ": the server counts " + reported + " prompt tokens, the client " + prompt.length());
        }
        int least = Math.max(0, common - tokensPerBlock);
        int most = prompt.length() - 1;
        if (cached.getAsInt() < least || cached.getAsInt() > most) {
            violations.add(where + ": cached_tokens " + cached.getAsInt() + " is not in " + least + ".." + most
                    + " (common prefix " + common + ", prompt " + prompt.length() + ")");
        }
    }
}
