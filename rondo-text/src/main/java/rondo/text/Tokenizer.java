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
     * @param parseSpecial     whether text that spells a special token becomes it; false: it stays ordinary text.
     *                         Added tokens that are not special are recognised either way.
     */
    TokenIds encode(String text, boolean addSpecialTokens, boolean parseSpecial);

    /** Decodes all ids at once. Bytes that are no UTF-8, and ids that the tokenizer lacks, become U+FFFD. */
    String decode(int[] ids, boolean skipSpecialTokens);

    /**
     * The text of one token exactly as it contributes to decoded output (bytes, not necessarily whole characters); an
     * id that the tokenizer lacks is U+FFFD. The array belongs to the tokenizer: read only.
     */
    byte[] bytes(int id);

    /** Whether the id is an added token marked special (hidden by {@code skipSpecialTokens}). */
    boolean isSpecial(int id);

    /** Added tokens by content, special or not, in id order. */
    List<AddedToken> addedTokens();

    /**
     * Where a text may be cut so that its parts, encoded one after the other, give the ids of the whole. Whether a
     * place is one depends on the text up to it and the one character after it, not on what follows.
     *
     * @return the last such index in {@code (from, to]}, or {@code from} if there is none
     */
    default int lastCut(String text, int from, int to) {
        return from;
    }

    @Override
    void close();

    /**
     * One entry of {@code added_tokens}.
     *
     * @param leftStrip  white space before it is swallowed
     * @param rightStrip white space after it is swallowed
     * @param singleWord recognised only where no word character touches it
     */
    record AddedToken(
            int id, String content, boolean special, boolean leftStrip, boolean rightStrip, boolean singleWord) {
        public AddedToken(int id, String content, boolean special) {
            this(id, content, special, false, false, false);
        }
    }
}
