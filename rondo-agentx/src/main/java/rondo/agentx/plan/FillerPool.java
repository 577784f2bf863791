package rondo.agentx.plan;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import rondo.base.TokenIds;
import rondo.base.UserError;
import rondo.text.Tokenizer;

/**
 * Words of one token each that stay one token wherever they stand: a space and 2 to 12 lower-case letters
 * (agentx-protocol.md R5). Immutable.
 */
public final class FillerPool {
    /** Fewer words would make prompts too repetitive to be told apart. */
    private static final int LEAST = 256;

    private final int[] ids;
    private final byte[][] words;

    private FillerPool(int[] ids, byte[][] words) {
        this.ids = ids;
        this.words = words;
    }

    /** All usable words of a tokenizer, by id. */
    public static FillerPool of(Tokenizer tokenizer) {
        List<Integer> ids = new ArrayList<>();
        List<byte[]> words = new ArrayList<>();
        for (int id = 0; id < tokenizer.vocabularySize(); id++) {
            if (tokenizer.isSpecial(id) || !isWord(tokenizer.bytes(id))) {
                continue;
            }
            String text = tokenizer.decode(new int[] {id}, false);
            TokenIds back = tokenizer.encode(text, false, false);
            if (isWord(text.getBytes(StandardCharsets.UTF_8)) && back.length() == 1 && back.get(0) == id) {
                ids.add(id);
                words.add(text.getBytes(StandardCharsets.US_ASCII));
            }
        }
        if (ids.size() < LEAST) {
            throw new UserError(
                    UserError.USAGE,
                    "bench: the tokenizer has " + ids.size()
                            + " words of one token (space and 2 to 12 letters), at least " + LEAST
                            + " are needed to make prompts of exact length");
        }
        return new FillerPool(ids.stream().mapToInt(Integer::intValue).toArray(), words.toArray(byte[][]::new));
    }

    private static boolean isWord(byte[] bytes) {
        if (bytes.length < 3 || bytes.length > 13 || bytes[0] != ' ') {
            return false;
        }
        for (int i = 1; i < bytes.length; i++) {
            if (bytes[i] < 'a' || bytes[i] > 'z') {
                return false;
            }
        }
        return true;
    }

    public int size() {
        return ids.length;
    }

    int id(int index) {
        return ids[index];
    }

    /** The text of a word; shared, never modified. */
    byte[] word(int index) {
        return words[index];
    }
}
