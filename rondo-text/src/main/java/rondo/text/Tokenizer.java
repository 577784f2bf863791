package rondo.text;

import java.util.List;
import rondo.base.TokenIds;

/** Text to token ids and back, as the checkpoint's {@code tokenizer.json} says. Thread-safe. */
public interface Tokenizer extends AutoCloseable {
    /** Highest id + 1 of the tokenizer's own entries (added tokens included); the model's vocabulary may be larger. */
    int vocabularySize();

    /**
     * Encodes plain text.
     *
     * @param addSpecialTokens whether the post-processor's tokens (a begin token, say) are added
     * @param parseSpecial     whether text that spells a special token becomes it; false: it stays ordinary text
     */
    TokenIds encode(String text, boolean addSpecialTokens, boolean parseSpecial);

    /** Decodes all ids at once. Bytes that are no UTF-8, and ids that the tokenizer lacks, become U+FFFD. */
    String decode(int[] ids, boolean skipSpecialTokens);

    /** The text of one token exactly as it contributes to decoded output (bytes, not necessarily whole characters). */
    byte[] bytes(int id);

    /** Whether the id is an added token marked special (hidden by {@code skipSpecialTokens}). */
    boolean isSpecial(int id);

    /** Added tokens by content, special or not, in id order. */
    List<AddedToken> addedTokens();

    @Override
    void close();

    /** One entry of {@code added_tokens}. */
    record AddedToken(int id, String content, boolean special) {}
}
