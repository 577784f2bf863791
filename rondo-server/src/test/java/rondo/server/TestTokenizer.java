package rondo.server;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import rondo.base.TokenIds;
import rondo.text.Tokenizer;

/** A token is a byte; four special ones follow. Characters beyond ASCII are thus split over tokens. */
final class TestTokenizer implements Tokenizer {
    static final int BOS = 256, HEADER = 257, HEADER_END = 258, EOT = 259;
    static final int VOCABULARY = 260;
    private static final List<AddedToken> ADDED = List.of(
            new AddedToken(BOS, "<|bos|>", true),
            new AddedToken(HEADER, "<|start|>", true),
            new AddedToken(HEADER_END, "<|end|>", true),
            new AddedToken(EOT, "<|eot|>", true));

    /** Called before a text is encoded; may wait. */
    volatile Consumer<String> before = text -> {};

    final AtomicInteger inside = new AtomicInteger();

    static int[] ids(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int[] ids = new int[bytes.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = bytes[i] & 0xFF;
        }
        return ids;
    }

    @Override
    public int vocabularySize() {
        return VOCABULARY;
    }

    @Override
    public TokenIds encode(String text, boolean addSpecialTokens, boolean parseSpecial) {
        inside.incrementAndGet();
        before.accept(text);
        inside.decrementAndGet();
        TokenIds ids = addSpecialTokens ? TokenIds.of(BOS) : TokenIds.empty();
        int[] plain = ids(text);
        return ids.append(plain, 0, plain.length);
    }

    @Override
    public String decode(int[] ids, boolean skipSpecialTokens) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int id : ids) {
            if (!skipSpecialTokens || !isSpecial(id)) {
                out.writeBytes(bytes(id));
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] bytes(int id) {
        return id < BOS ? new byte[] {(byte) id} : ADDED.get(id - BOS).content().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean isSpecial(int id) {
        return id >= BOS;
    }

    @Override
    public List<AddedToken> addedTokens() {
        return ADDED;
    }

    @Override
    public void close() {
        // holds nothing
    }
}
