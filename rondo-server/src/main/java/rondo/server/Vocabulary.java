package rondo.server;

import java.util.Arrays;
import rondo.engine.GenerationService;
import rondo.engine.grammar.TokenTrie;
import rondo.text.Tokenizer;

/** The tokens of a model as grammars see them: their bytes, nothing where a token is no text. */
final class Vocabulary {
    private static final byte[] NOTHING = {};
    /** What ids that the tokenizer lacks decode to. */
    private static final byte[] UNKNOWN = {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD};

    private Vocabulary() {}

    static TokenTrie trie(ServedModel model, GenerationService service) {
        Tokenizer tokenizer = model.tokenizer();
        byte[][] tokens = new byte[service.info().vocabulary()][];
        for (int id = 0; id < tokens.length; id++) {
            byte[] bytes = id < tokenizer.vocabularySize() ? tokenizer.bytes(id) : NOTHING;
            boolean text = !tokenizer.isSpecial(id) && !Arrays.equals(bytes, UNKNOWN);
            tokens[id] = text ? bytes : NOTHING;
        }
        for (int id : model.endIds()) {
            if (id >= 0 && id < tokens.length) {
                tokens[id] = NOTHING;
            }
        }
        return TokenTrie.of(tokens);
    }
}
