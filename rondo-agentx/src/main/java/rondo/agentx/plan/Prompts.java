package rondo.agentx.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import rondo.agentx.trace.ContextScale;
import rondo.agentx.trace.TraceRequest;
import rondo.base.UserError;

/**
 * Tiles the prompts of one conversation with role segments (agentx-protocol.md §2.2): every prompt has exactly the
 * recorded number of tokens, and consecutive prompts share exactly the blocks that the recording shared.
 */
final class Prompts {
    private final int blockSize;
    private final ContextScale scale;
    private final List<TraceRequest> turns;
    private final int[] covered;
    private final int[] shared;
    private final int[] caps;

    private Prompts(List<TraceRequest> turns, int blockSize, ContextScale scale) {
        this.turns = turns;
        this.blockSize = blockSize;
        this.scale = scale;
        this.covered = new int[turns.size()];
        this.shared = new int[turns.size()];
        this.caps = new int[turns.size()];
        for (int k = 0; k < turns.size(); k++) {
            covered[k] = coveredBlocks(turns.get(k), blockSize);
            shared[k] = k == 0
                    ? 0
                    : Math.min(
                            Math.min(covered[k - 1], covered[k]),
                            Chains.commonPrefix(
                                    turns.get(k - 1).hashIds(), turns.get(k).hashIds()));
        }
        lookAhead();
    }

    /**
     * Segments of every turn.
     *
     * @param turns        the conversation's requests, already scaled
     * @param prefixBlocks declared tool and system blocks at the head of the first prompt, 0 for none
     * @param name         of the conversation, for messages
     */
    static List<List<Segment>> plan(
            List<TraceRequest> turns, int prefixBlocks, int blockSize, ContextScale scale, String name) {
        Prompts prompts = new Prompts(turns, blockSize, scale);
        List<List<Segment>> out = new ArrayList<>(turns.size());
        List<Segment> current = prompts.first(prefixBlocks, name);
        out.add(current);
        for (int k = 1; k < turns.size(); k++) {
            current = prompts.next(current, k);
            out.add(current);
        }
        return out;
    }

    static int coveredBlocks(TraceRequest turn, int blockSize) {
        return Math.min(turn.hashIds().length, turn.in() / blockSize);
    }

    private int tail(int k) {
        return turns.get(k).in() - covered[k] * blockSize;
    }

    /** R7. */
    private List<Segment> first(int prefixBlocks, String name) {
        if (prefixBlocks > turns.getFirst().hashIds().length) {
            throw new UserError(
                    UserError.USAGE,
                    "trace: " + name + ": tool_tokens + system_tokens take " + prefixBlocks
                            + " blocks, but the first prompt has only "
                            + turns.getFirst().hashIds().length);
        }
        int prefix = Math.min(prefixBlocks, covered[0]);
        List<Segment> out = new ArrayList<>(2);
        if (prefix > 0) {
            out.add(new Segment(Role.SYSTEM, 0, prefix, 0));
        }
        if (prefix == 0 || covered[0] > prefix || tail(0) > 0) {
            out.add(new Segment(Role.USER, prefix, covered[0], tail(0)));
        }
        return List.copyOf(out);
    }

    /** R8. */
    private List<Segment> next(List<Segment> previous, int k) {
        List<Segment> out = truncated(previous, shared[k]);
        int fresh = Math.max(0, covered[k] - shared[k]);
        int tail = tail(k);
        int assistant = scale.outputBlocks(turns.get(k - 1).out(), blockSize);
        if (out.stream().noneMatch(s -> s.role() == Role.USER)) {
            assistant = 0;
        }
        assistant = Math.min(Math.min(assistant, fresh), caps[k]);
        if (tail == 0 && assistant == fresh && assistant > 0) {
            assistant--;
        }
        int at = shared[k];
        if (assistant > 0) {
            out.add(new Segment(Role.ASSISTANT, at, at + assistant, 0));
            at += assistant;
        }
        if (covered[k] > at || tail > 0) {
            out.add(new Segment(Role.USER, at, covered[k], tail));
        }
        return List.copyOf(out);
    }

    private static List<Segment> truncated(List<Segment> segments, int blocks) {
        List<Segment> out = new ArrayList<>(segments.size() + 2);
        for (Segment s : segments) {
            if (s.fromBlock() >= blocks) {
                break;
            }
            boolean whole = s.toBlock() <= blocks && s.extraTokens() == 0;
            out.add(whole ? s : new Segment(s.role(), s.fromBlock(), Math.min(s.toBlock(), blocks), 0));
        }
        return out;
    }

    /** R9: a turn that only pulls back must end in a user block, so an earlier assistant share is limited up front. */
    private void lookAhead() {
        Arrays.fill(caps, Integer.MAX_VALUE);
        int longest = Arrays.stream(covered).max().orElse(0);
        int[] owner = new int[longest];
        for (int k = 0; k < turns.size(); k++) {
            int kept = shared[k];
            if (k > 0 && covered[k] <= kept && tail(k) == 0 && kept >= 1) {
                int j = owner[kept - 1];
                int cap = kept - 1 - shared[j];
                if (j != 0 && cap >= 0) {
                    caps[j] = Math.min(caps[j], cap);
                }
            }
            for (int b = kept; b < covered[k]; b++) {
                owner[b] = k;
            }
        }
    }
}
