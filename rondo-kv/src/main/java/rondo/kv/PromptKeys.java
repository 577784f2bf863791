package rondo.kv;

import java.util.function.Supplier;
import rondo.base.TokenIds;

/** The immutable keys of a prompt, made on the request's own thread. */
public final class PromptKeys implements BlockKeys {
    private final TokenIds ids;
    private final CacheScope scope;
    private final int tokensPerBlock;
    private final KeyChain chain;

    private PromptKeys(TokenIds ids, CacheScope scope, int tokensPerBlock, KeyChain chain) {
        this.ids = ids;
        this.scope = scope;
        this.tokensPerBlock = tokensPerBlock;
        this.chain = chain;
    }

    public static PromptKeys of(TokenIds ids, CacheScope scope, int tokensPerBlock) {
        return of(ids, scope, tokensPerBlock, BlockHasher::new);
    }

    static PromptKeys of(TokenIds ids, CacheScope scope, int tokensPerBlock, Supplier<BlockHasher> hashers) {
        KeyChain chain = KeyChain.root(scope, tokensPerBlock, hashers).extend(ids, ids.length() / tokensPerBlock);
        return new PromptKeys(ids, scope, tokensPerBlock, chain);
    }

    /** The keys of a prompt that begins with this one: only the new blocks are hashed. */
    public PromptKeys extend(TokenIds longer) {
        int common = ids.commonPrefix(longer) / tokensPerBlock;
        KeyChain kept = chain.prefix(Math.min(common, chain.blocks()));
        return new PromptKeys(longer, scope, tokensPerBlock, kept.extend(longer, longer.length() / tokensPerBlock));
    }

    public TokenIds ids() {
        return ids;
    }

    KeyChain chain() {
        return chain;
    }

    @Override
    public CacheScope scope() {
        return scope;
    }

    @Override
    public int tokensPerBlock() {
        return tokensPerBlock;
    }

    @Override
    public int tokens() {
        return ids.length();
    }

    @Override
    public int token(int index) {
        return ids.get(index);
    }

    @Override
    public void copyTokens(int from, int[] to, int toIndex, int count) {
        ids.copy(from, to, toIndex, count);
    }

    @Override
    public int fullBlocks() {
        return chain.blocks();
    }

    @Override
    public long keyWord(int block, int word) {
        return chain.word(block, word);
    }
}
