package rondo.agentx;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import rondo.base.TokenIds;
import rondo.text.Tokenizer;

/** A tokenizer for tests: ids 0-255 are bytes, the next 1000 are a space and three letters. */
public final class WordTokenizer implements Tokenizer {
    private static final int WORDS = 1000;

    @Override
    public int vocabularySize() {
        return 256 + WORDS;
    }

    @Override
    public TokenIds encode(String text, boolean addSpecialTokens, boolean parseSpecial) {
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        int[] out = new int[in.length];
        int n = 0;
        int at = 0;
        while (at < in.length) {
            int end = at + 1;
            while (end < in.length && in[end] >= 'a' && in[end] <= 'z') {
                end++;
            }
            int word = in[at] == ' ' && end == at + 4 ? index(in, at + 1) : WORDS;
            if (word < WORDS) {
                out[n++] = 256 + word;
                at = end;
            } else {
                out[n++] = in[at++] & 0xff;
            }
        }
        return TokenIds.of(Arrays.copyOf(out, n));
    }

    private static int index(byte[] in, int at) {
        return (in[at] - 'a') * 676 + (in[at + 1] - 'a') * 26 + in[at + 2] - 'a';
    }

    @Override
    public String decode(int[] ids, boolean skipSpecialTokens) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int id : ids) {
            out.writeBytes(bytes(id));
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] bytes(int id) {
        if (id < 256) {
            return new byte[] {(byte) id};
        }
        int word = id - 256;
        return new byte[] {
            ' ', (byte) ('a' + word / 676), (byte) ('a' + word / 26 % 26), (byte) ('a' + word % 26),
        };
    }

    @Override
    public boolean isSpecial(int id) {
        return false;
    }

    @Override
    public List<AddedToken> addedTokens() {
        return List.of();
    }

    @Override
    public void close() {}
}
