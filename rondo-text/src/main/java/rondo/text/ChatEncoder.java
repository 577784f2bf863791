package rondo.text;

import rondo.base.TokenIds;
import rondo.text.jinja.Limits;
import rondo.text.jinja.Text;

/**
 * Chats to prompts: template, then token ids, by the safe rule (models.md §9): a special token is one only where all of
 * its characters are the template's own; what messages, tools and variables contribute stays plain text, whatever it
 * spells. Thread-safe.
 */
public final class ChatEncoder {
    /** A rendered and encoded chat. */
    public record Prompt(Text text, TokenIds ids) {}

    /** Characters after which a run without added tokens gets a cut of its own. */
    private static final int RUN = 16 << 10;

    private static final AddedTokenMatcher.Gate ALL = (from, to) -> true;

    private final Tokenizer tokenizer;
    private final ChatTemplate template;
    private final boolean safeSpecialTokens;
    private final AddedTokenMatcher matcher;
    private final PrefixTokenizationCache cache;

    /** An encoder with a prefix cache of the default size. */
    public ChatEncoder(Tokenizer tokenizer, ChatTemplate template, boolean safeSpecialTokens) {
        this(tokenizer, template, safeSpecialTokens, new PrefixTokenizationCache());
    }

    /**
     * @param safeSpecialTokens {@code rondo.safe_special_tokens}; false: special tokens are parsed wherever they stand
     */
    public ChatEncoder(
            Tokenizer tokenizer, ChatTemplate template, boolean safeSpecialTokens, PrefixTokenizationCache cache) {
        this.tokenizer = tokenizer;
        this.template = template;
        this.safeSpecialTokens = safeSpecialTokens;
        this.cache = cache;
        this.matcher = new AddedTokenMatcher(tokenizer.addedTokens());
    }

    /** Renders and encodes; no begin token is added (templates write it). Throws TemplateException as the template does. */
    public Prompt encode(ChatInput input) {
        Text text = template.render(input);
        return new Prompt(text, encode(text));
    }

    /** The same with another template, within the given limits: it is a stranger's. */
    public Prompt encode(ChatInput input, String templateSource, Limits limits) {
        Text text = template.replacedBy(templateSource).render(input, limits);
        return new Prompt(text, encode(text));
    }

    /** The ids of a rendered text. */
    public TokenIds encode(Text text) {
        String s = text.toString();
        AddedTokenMatcher.Gate gate = safeSpecialTokens ? (from, to) -> !text.isForeign(from, to) : ALL;
        AddedTokenMatcher.Found found = matcher.find(s, 0, s.length(), gate);
        int[] own = new int[found.count()];
        for (int i = 0; i < own.length; i++) {
            own[i] = found.from(i);
        }
        return cache.encode(s, own, (from, out, cuts) -> encode(s, found, from, out, cuts));
    }

    private void encode(
            String text, AddedTokenMatcher.Found found, int from, IdBuffer out, PrefixTokenizationCache.Cuts cuts) {
        int done = from;
        for (int i = found.firstFrom(from); i < found.count(); i++) {
            encodeRun(text, done, found.from(i), out, cuts);
            out.add(found.id(i));
            done = found.to(i);
            if (matcher.endsAnywhere(found.id(i))) {
                cuts.add(done, out.length(), done);
            }
        }
        encodeRun(text, done, text.length(), out, cuts);
    }

    private void encodeRun(String text, int from, int to, IdBuffer out, PrefixTokenizationCache.Cuts cuts) {
        int at = from;
        while (at < to) {
            int next = to - at <= RUN ? at : tokenizer.lastCut(text, at, at + RUN);
            boolean cut = next > at;
            int end = cut ? next : to;
            out.add(tokenizer.encode(text.substring(at, end), false, false));
            if (cut) {
                cuts.add(end, out.length(), end + 1);
            }
            at = end;
        }
    }

    /** What its prefix cache did so far. */
    public PrefixTokenizationCache.Stats cacheStats() {
        return cache.stats();
    }
}
