package rondo.text;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;

/**
 * The bytes that each token contributes to decoded text, as one table: decoding is then a lookup and needs no native
 * call. Understands the byte-level decoder (GPT-2's printable alphabet) and SentencePiece's byte fallback.
 */
final class TokenBytes {
    /** U+FFFD in UTF-8: what an id that the tokenizer lacks decodes to. */
    static final byte[] UNKNOWN = {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD};

    private final byte[][] table;
    private final boolean stripFirstSpace;

    private TokenBytes(byte[][] table, boolean stripFirstSpace) {
        this.table = table;
        this.stripFirstSpace = stripFirstSpace;
    }

    static TokenBytes of(TokenizerFile file) {
        String kind = kind(file.decoder);
        boolean byteLevel = kind.equals("ByteLevel");
        Map<Character, Byte> alphabet = byteLevel ? alphabet() : Map.of();
        byte[][] table = new byte[file.vocabulary.length][];
        for (int id = 0; id < table.length; id++) {
            String entry = file.entry(id);
            table[id] = entry == null ? UNKNOWN : byteLevel ? byteLevel(entry, alphabet) : sentencePiece(entry);
        }
        for (Tokenizer.AddedToken token : file.added) {
            if (!byteLevel) {
                table[token.id()] = token.content().getBytes(StandardCharsets.UTF_8);
            }
        }
        return new TokenBytes(table, !byteLevel);
    }

    int size() {
        return table.length;
    }

    byte[] get(int id) {
        return id >= 0 && id < table.length ? table[id] : UNKNOWN;
    }

    /** Whether a whole decoded text loses one leading space (SentencePiece put it there). */
    boolean stripFirstSpace() {
        return stripFirstSpace;
    }

    private static String kind(JsonNode decoder) {
        String type = decoder.path("type").asString("");
        if (type.equals("ByteLevel") || type.equals("Metaspace")) {
            return type;
        }
        if (type.equals("Sequence")) {
            for (JsonNode step : decoder.path("decoders")) {
                String inner = step.path("type").asString("");
                if (inner.equals("ByteLevel") || inner.equals("ByteFallback") || inner.equals("Metaspace")) {
                    return inner;
                }
            }
        }
        throw new UserError(
                UserError.MODEL,
                "model: tokenizer.json: decoder '" + type
                        + "' is not supported by rondo (supported: ByteLevel, Metaspace, ByteFallback)");
    }

    /** An entry of the byte-level alphabet; one with a character outside of it (an added token) stands for itself. */
    private static byte[] byteLevel(String entry, Map<Character, Byte> alphabet) {
        byte[] out = new byte[entry.length()];
        for (int i = 0; i < out.length; i++) {
            Byte b = alphabet.get(entry.charAt(i));
            if (b == null) {
                return entry.getBytes(StandardCharsets.UTF_8);
            }
            out[i] = b;
        }
        return out;
    }

    private static byte[] sentencePiece(String entry) {
        if (entry.length() == 6 && entry.startsWith("<0x") && entry.endsWith(">")) {
            try {
                return new byte[] {(byte) Integer.parseInt(entry, 3, 5, 16)};
            } catch (NumberFormatException e) {
                return entry.getBytes(StandardCharsets.UTF_8);
            }
        }
        return entry.replace('\u2581', ' ').getBytes(StandardCharsets.UTF_8);
    }

    /** GPT-2's bytes-to-characters table: printable Latin-1 stands for itself, the rest is moved to U+0100 onwards. */
    private static Map<Character, Byte> alphabet() {
        Map<Character, Byte> out = new HashMap<>();
        int moved = 0;
        for (int b = 0; b < 256; b++) {
            boolean printable = b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE;
            out.put((char) (printable ? b : 256 + moved), (byte) b);
            moved += printable ? 0 : 1;
        }
        return out;
    }
}
