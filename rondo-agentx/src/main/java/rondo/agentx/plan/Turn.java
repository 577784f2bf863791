package rondo.agentx.plan;

import java.util.List;

/**
 * One request of a conversation as it will be replayed. Its prompt is given by {@code segments} over
 * {@code hashIds}.
 *
 * @param outer         index of the entry in the trace
 * @param inner         index inside a subagent's requests, or -1
 * @param start         recorded start, seconds on the trace's clock
 * @param end           recorded end, seconds
 * @param delay         seconds from the completion of the previous turn to this one; 0 for a first turn (D1)
 * @param promptTokens  exact prompt length before marker and chat template
 * @param maxTokens     output tokens asked for, at least 1
 * @param hashIds       block ids of the prompt; shared, never modified
 * @param coveredBlocks blocks of the prompt that {@code hashIds} covers
 * @param model         ordinal of the recorded model among those of the trace, 0 = main model (R15)
 * @param hitBlocks     leading blocks that an unbounded cache would hold at the recorded start (§7.5)
 * @param predecessors  turns of other streams that must have completed before (C12)
 */
public record Turn(
        int outer,
        int inner,
        double start,
        double end,
        double delay,
        int promptTokens,
        int maxTokens,
        int[] hashIds,
        int coveredBlocks,
        List<Segment> segments,
        int model,
        InputKind kind,
        int hitBlocks,
        List<TurnRef> predecessors) {

    Turn withHits(int hits) {
        return new Turn(
                outer,
                inner,
                start,
                end,
                delay,
                promptTokens,
                maxTokens,
                hashIds,
                coveredBlocks,
                segments,
                model,
                kind,
                hits,
                predecessors);
    }

    Turn withPredecessors(List<TurnRef> before) {
        return new Turn(
                outer,
                inner,
                start,
                end,
                delay,
                promptTokens,
                maxTokens,
                hashIds,
                coveredBlocks,
                segments,
                model,
                kind,
                hitBlocks,
                before);
    }
}
