package rondo.text;

import rondo.base.TokenIds;
import rondo.text.jinja.Text;

/**
 * Chats to prompts: template, then token ids, by the safe rule (models.md §9): a special token is one only where all of
 * its characters are the template's own; what messages, tools and variables contribute stays plain text, whatever it
 * spells. Thread-safe.
 */
public final class ChatEncoder {
    /** A rendered and encoded chat. */
    public record Prompt(Text text, TokenIds ids) {}

    private static final AddedTokenMatcher.Gate ALL = (from, to) -> true;

    private final Tokenizer tokenizer;
    private final ChatTemplate template;
    private final boolean safeSpecialTokens;
    private final AddedTokenMatcher matcher;

    /**
     * @param safeSpecialTokens {@code rondo.safe_special_tokens}; false: special tokens are parsed wherever they stand
     */
    public ChatEncoder(Tokenizer tokenizer, ChatTemplate template, boolean safeSpecialTokens) {
        this.tokenizer = tokenizer;
        this.template = template;
        this.safeSpecialTokens = safeSpecialTokens;
        this.matcher = new AddedTokenMatcher(tokenizer.addedTokens());
    }

    /** Renders and encodes; no begin token is added (templates write it). Throws TemplateException as the template does. */
    public Prompt encode(ChatInput input) {
        Text text = template.render(input);
        return new Prompt(text, encode(text));
    }

    /** The ids of a rendered text. */
    public TokenIds encode(Text text) {
        String s = text.toString();
        AddedTokenMatcher.Gate gate = safeSpecialTokens ? (from, to) -> !text.isForeign(from, to) : ALL;
        AddedTokenMatcher.Found found = matcher.find(s, 0, s.length(), gate);
        IdBuffer out = new IdBuffer(s.length() / 3);
        int done = 0;
        for (int i = 0; i < found.count(); i++) {
            encodeRun(s, done, found.from(i), out);
            out.add(found.id(i));
            done = found.to(i);
        }
        encodeRun(s, done, s.length(), out);
        return out.after(TokenIds.empty());
    }

    private void encodeRun(String text, int from, int to, IdBuffer out) {
        if (from < to) {
            out.add(tokenizer.encode(text.substring(from, to), false, false));
        }
    }
}
