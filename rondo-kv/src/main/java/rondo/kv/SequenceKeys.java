package rondo.kv;

import java.util.Arrays;

/**
 * The keys of a running sequence: its prompt's, and one more for every block that its output fills. Owned by the engine
 * thread. It begins small, so that a queued request costs nothing; once it runs, {@link #reserve} makes room for its
 * output, and beyond that it grows by doubling, so that a limit of a million tokens costs nothing until they come.
 */
public final class SequenceKeys implements BlockKeys {
    private static final int FIRST_TOKENS = 512;
    private static final int MOST_RESERVED_TOKENS = 1 << 16;

    private final PromptKeys prompt;
    private final int promptBlocks;
    private final int maxOutputTokens;
    private int[] output;
    private long[] keys;
    private final byte[] key = new byte[32];
    private final int[] block;
    private final BlockHasher hasher;
    private int outputTokens;
    private int blocks;

    public SequenceKeys(PromptKeys prompt, int maxOutputTokens) {
        this.prompt = prompt;
        this.promptBlocks = prompt.fullBlocks();
        this.blocks = promptBlocks;
        this.maxOutputTokens = maxOutputTokens;
        this.output = new int[Math.min(maxOutputTokens, FIRST_TOKENS)];
        int b = prompt.tokensPerBlock();
        this.keys = new long[4 * (output.length / b + 1)];
        this.hasher = prompt.chain().hasher().withoutAllocation();
        this.block = new int[b];
        prompt.chain().key(promptBlocks - 1, key);
    }

    public PromptKeys prompt() {
        return prompt;
    }

    public int outputTokens() {
        return outputTokens;
    }

    /** Makes room for the output up to its limit (at most 65,536 tokens), so that appending it allocates nothing. */
    public void reserve() {
        int size = Math.min(maxOutputTokens, MOST_RESERVED_TOKENS);
        if (output.length < size) {
            output = Arrays.copyOf(output, size);
            keys = Arrays.copyOf(keys, 4 * (size / tokensPerBlock() + 1));
        }
    }

    /** Appends one sampled token. */
    public void append(int token) {
        if (outputTokens == output.length) {
            if (outputTokens == maxOutputTokens) {
                throw new IllegalStateException("the chain was made for " + maxOutputTokens + " output tokens");
            }
            output = Arrays.copyOf(output, (int) Math.min(maxOutputTokens, 2L * outputTokens));
        }
        output[outputTokens++] = token;
        if (tokens() % tokensPerBlock() == 0) {
            copyTokens(tokens() - tokensPerBlock(), block, 0, tokensPerBlock());
            hasher.child(key, block, block.length);
            int at = 4 * (blocks - promptBlocks);
            if (at == keys.length) {
                keys = Arrays.copyOf(keys, 2 * at);
            }
            for (int w = 0; w < 4; w++) {
                keys[at + w] = KeyBytes.getLong(key, 8 * w);
            }
            blocks++;
        }
    }

    /** The sampled tokens so far, a copy. */
    public int[] outputIds() {
        return Arrays.copyOf(output, outputTokens);
    }

    @Override
    public CacheScope scope() {
        return prompt.scope();
    }

    @Override
    public int tokensPerBlock() {
        return prompt.tokensPerBlock();
    }

    @Override
    public int tokens() {
        return prompt.tokens() + outputTokens;
    }

    @Override
    public int token(int index) {
        return index < prompt.tokens() ? prompt.token(index) : output[index - prompt.tokens()];
    }

    @Override
    public void copyTokens(int from, int[] to, int toIndex, int count) {
        int fromPrompt = Math.max(0, Math.min(count, prompt.tokens() - from));
        if (fromPrompt > 0) {
            prompt.copyTokens(from, to, toIndex, fromPrompt);
        }
        int rest = count - fromPrompt;
        if (rest > 0) {
            int at = from + fromPrompt - prompt.tokens();
            if (at + rest > outputTokens) {
                throw new IndexOutOfBoundsException("token " + (from + count) + " of " + tokens());
            }
            System.arraycopy(output, at, to, toIndex + fromPrompt, rest);
        }
    }

    @Override
    public int fullBlocks() {
        return blocks;
    }

    @Override
    public long keyWord(int block, int word) {
        if (block < promptBlocks) {
            return prompt.keyWord(block, word);
        }
        if (block >= blocks) {
            throw new IndexOutOfBoundsException("block " + block + " of " + blocks);
        }
        return keys[4 * (block - promptBlocks) + word];
    }
}
