package rondo.kv;

/**
 * What decides how long a request's pages are kept.
 *
 * @param promptTokens length of the prompt, which fixes the priority of its window pages
 * @param conversation id for the policy {@code per_conversation}; empty for none
 * @param excluded     warm-up and dummy requests: ordinary priority whatever the policy
 */
public record Retention(int promptTokens, String conversation, boolean excluded) {
    public static Retention of(int promptTokens) {
        return new Retention(promptTokens, "", false);
    }
}
