package rondo.server;

import java.util.List;
import rondo.base.TokenIds;
import rondo.text.Tokenizer;

/**
 * In place of a tokenizer where the server has none: token ids come in and go out, no token is text. What needs text is
 * refused by {@link #refuse} before it gets here.
 */
public final class IdsOnly implements Tokenizer {
    private static final byte[] NOTHING = {};

    /** A request that needs a tokenizer. */
    static ApiError refuse(String param) {
        return ApiError.unsupported(
                param,
                "this server has no tokenizer (skip_tokenizer_init is true); it takes a 'prompt' of token ids at"
                        + " /v1/completions and answers with 'token_ids'");
    }

    /** Fails where a completion asks for anything that is text. */
    static void check(CompletionRequest request) throws ApiError {
        for (CompletionRequest.Prompt prompt : request.prompts()) {
            if (prompt instanceof CompletionRequest.Prompt.Text) {
                throw refuse("prompt");
            }
        }
        if (request.echo()) {
            throw refuse("echo");
        }
        if (!request.generation().stops().isEmpty()) {
            throw refuse("stop");
        }
        if (request.generation().topLogprobs() >= 0) {
            throw refuse("logprobs");
        }
        if (request.guided().isPresent()) {
            throw refuse(request.guided().get().field());
        }
    }

    @Override
    public int vocabularySize() {
        return 0;
    }

    @Override
    public TokenIds encode(String text, boolean addSpecialTokens, boolean parseSpecial) {
        throw new IllegalStateException("there is no tokenizer");
    }

    @Override
    public String decode(int[] ids, boolean skipSpecialTokens) {
        throw new IllegalStateException("there is no tokenizer");
    }

    @Override
    public byte[] bytes(int id) {
        return NOTHING;
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
