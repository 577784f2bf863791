package rondo.server;

import org.jspecify.annotations.Nullable;
import rondo.text.Tokenizer;
import rondo.text.Tokenizer.AddedToken;

/** The special tokens of a tokenizer by id. */
final class SpecialTokens {
    private final @Nullable AddedToken[] byId;

    SpecialTokens(Tokenizer tokenizer) {
        byId = new AddedToken[tokenizer.vocabularySize()];
        for (AddedToken token : tokenizer.addedTokens()) {
            if (token.special() && token.id() < byId.length) {
                byId[token.id()] = token;
            }
        }
    }

    /** The special token with this id, or null if it is an ordinary one. */
    @Nullable
    AddedToken get(int id) {
        return id < byId.length ? byId[id] : null;
    }
}
