package rondo.cli;

import rondo.base.Env;
import rondo.cli.config.ServeConfig;
import rondo.text.PrefixTokenizationCache;

/** The tokenization cache that the configuration or the environment asks for (serve-config.md §1.11). */
final class TokenizationCaches {
    private static final String NAME = "RONDO_PREFIX_TOKEN_CACHE";
    private static final String OTHER_NAME = "TLLM_PREFIX_TOKEN_CACHE";

    private TokenizationCaches() {}

    static PrefixTokenizationCache of(ServeConfig config, Env env) {
        int entries = number(env, "_ENTRIES", 512);
        int chars = number(env, "_MAX_CHARS", 64 << 20);
        int least = number(env, "_MIN_CHARS", 4096);
        boolean on = env.get(NAME)
                .or(() -> env.get(OTHER_NAME))
                .map("1"::equals)
                .orElse(config.model().tokenizationCache());
        return on ? new PrefixTokenizationCache(entries, chars, least) : PrefixTokenizationCache.off();
    }

    private static int number(Env env, String suffix, int otherwise) {
        return env.positiveInt(NAME + suffix, env.positiveInt(OTHER_NAME + suffix, otherwise));
    }
}
