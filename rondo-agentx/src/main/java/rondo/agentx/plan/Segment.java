package rondo.agentx.plan;

/**
 * One message of a prompt: blocks {@code [fromBlock, toBlock)} of the turn's block list, then filler tokens that
 * belong to no block. Only the last segment of a prompt has such extra tokens.
 */
public record Segment(Role role, int fromBlock, int toBlock, int extraTokens) {
    /** Length in tokens. */
    public int tokens(int blockSize) {
        return (toBlock - fromBlock) * blockSize + extraTokens;
    }
}
