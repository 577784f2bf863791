package rondo.text;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import rondo.base.TokenIds;
import rondo.base.UserError;

/**
 * The tokenizer of a Hugging Face checkpoint directory.
 *
 * <p>Added tokens are found here, in Java; the native library gets only the plain runs between them, from a copy of the
 * file that knows no special token. So one native instance serves both ways of reading special tokens, and long texts
 * are cut where a cut is exact (short pieces are faster).
 */
public final class HuggingFaceTokenizer implements Tokenizer {
    /** Characters of one native call, where the text can be cut; measured: 4 to 16 Ki are fastest. */
    private static final int PIECE = 8 << 10;

    private static final AddedTokenMatcher.Gate OPEN = (from, to) -> true;

    private final NativeTokenizer plain;
    private final TokenBytes bytes;
    private final List<AddedToken> added;
    private final AddedTokenMatcher matcher;
    private final boolean[] special;
    private final boolean cutsAtLineFeeds;
    private final int[] prefix;
    private final int[] suffix;

    private HuggingFaceTokenizer(TokenizerFile file, Path path) {
        this.bytes = TokenBytes.of(file);
        this.added = List.copyOf(file.added);
        this.matcher = new AddedTokenMatcher(added);
        this.special = new boolean[bytes.size()];
        for (AddedToken token : added) {
            special[token.id()] |= token.special();
        }
        this.cutsAtLineFeeds = file.cutsAtLineFeeds();
        if (file.firstPieceDiffers()) {
            throw new UserError(
                    UserError.MODEL,
                    "model: " + path
                            + ": pre_tokenizer Metaspace with prepend_scheme 'first' is not supported by rondo");
        }
        this.plain = NativeTokenizer.of(file.withoutSpecial, path);
        long[] bare = plain.encode("a");
        long[] dressed = plain.encode("a", true);
        int at = indexOf(dressed, bare);
        this.prefix = ints(dressed, 0, at);
        this.suffix = ints(dressed, at + bare.length, dressed.length);
    }

    /** Loads {@code tokenizer.json} of a checkpoint directory; never uses the network. */
    public static HuggingFaceTokenizer load(Path checkpoint) {
        Path file = checkpoint.resolve("tokenizer.json");
        return new HuggingFaceTokenizer(TokenizerFile.read(file), file);
    }

    @Override
    public int vocabularySize() {
        return bytes.size();
    }

    @Override
    public TokenIds encode(String text, boolean addSpecialTokens, boolean parseSpecial) {
        IdBuffer out = new IdBuffer(text.length() / 3);
        if (addSpecialTokens) {
            for (int id : prefix) {
                out.add(id);
            }
        }
        if (parseSpecial) {
            AddedTokenMatcher.Found found = matcher.find(text, 0, text.length(), OPEN);
            int done = 0;
            for (int i = 0; i < found.count(); i++) {
                encodeRun(text, done, found.from(i), out);
                out.add(found.id(i));
                done = found.to(i);
            }
            encodeRun(text, done, text.length(), out);
        } else {
            encodeRun(text, 0, text.length(), out);
        }
        if (addSpecialTokens) {
            for (int id : suffix) {
                out.add(id);
            }
        }
        return out.after(TokenIds.empty());
    }

    /** A plain text in one native call: what cutting it must not change. */
    long[] encodeAtOnce(String text) {
        return plain.encode(wellFormed(text));
    }

    /** Lone surrogates as U+FFFD: one of them would make the native library garble the whole text around it. */
    private static String wellFormed(String text) {
        StringBuilder changed = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
                continue;
            }
            changed = changed == null ? new StringBuilder(text) : changed;
            changed.setCharAt(i, '\uFFFD');
        }
        return changed == null ? text : changed.toString();
    }

    private void encodeRun(String text, int from, int to, IdBuffer out) {
        int at = from;
        while (at < to) {
            int next = to - at <= PIECE ? to : lastCut(text, at, at + PIECE);
            if (next == at) {
                next = firstCut(text, at + PIECE, to);
            }
            out.add(plain.encode(wellFormed(text.substring(at, next))));
            at = next;
        }
    }

    @Override
    public int lastCut(String text, int from, int to) {
        if (cutsAtLineFeeds) {
            for (int i = Math.min(to, text.length() - 1); i > from; i--) {
                if (cutBefore(text, i)) {
                    return i;
                }
            }
        }
        return from;
    }

    private int firstCut(String text, int from, int to) {
        if (cutsAtLineFeeds) {
            for (int i = from; i < to; i++) {
                if (cutBefore(text, i)) {
                    return i;
                }
            }
        }
        return to;
    }

    /** See {@link TokenizerFile#cutsAtLineFeeds}: only before plain ASCII, about which all Unicode versions agree. */
    private static boolean cutBefore(String text, int i) {
        char c = text.charAt(i);
        return c > ' ' && c < 0x7F && c != '/' && text.charAt(i - 1) == '\n';
    }

    @Override
    public String decode(int[] ids, boolean skipSpecialTokens) {
        Detokenizer all = new Detokenizer(this, skipSpecialTokens);
        StringBuilder out = new StringBuilder(ids.length * 4);
        for (int id : ids) {
            all.push(id, out);
        }
        all.flush(out);
        if (bytes.stripFirstSpace() && !out.isEmpty() && out.charAt(0) == ' ') {
            return out.substring(1);
        }
        return out.toString();
    }

    @Override
    public byte[] bytes(int id) {
        return bytes.get(id);
    }

    @Override
    public boolean isSpecial(int id) {
        return id >= 0 && id < special.length && special[id];
    }

    @Override
    public List<AddedToken> addedTokens() {
        return added;
    }

    @Override
    public void close() {
        plain.close();
    }

    private static int indexOf(long[] all, long[] part) {
        for (int at = 0; at + part.length <= all.length; at++) {
            if (Arrays.equals(all, at, at + part.length, part, 0, part.length)) {
                return at;
            }
        }
        throw new IllegalStateException("the post-processor changes tokens: " + Arrays.toString(all));
    }

    private static int[] ints(long[] from, int start, int end) {
        int[] out = new int[end - start];
        for (int i = start; i < end; i++) {
            out[i - start] = (int) from[i];
        }
        return out;
    }
}
