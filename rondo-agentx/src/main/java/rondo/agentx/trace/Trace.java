package rondo.agentx.trace;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * One recorded agent run (agentx-protocol.md §1.2). Block ids are private to the trace; its root and its subagents
 * share them.
 *
 * @param blockSize    tokens per block
 * @param toolTokens   tokens of the tool definitions at the head of the prompt
 * @param systemTokens tokens of the system prompt after the tools
 * @param entries      requests and subagents in the order of the record
 * @param totals       the recorder's summary, opaque; JSON null where it is missing
 */
public record Trace(
        String id,
        List<String> models,
        int blockSize,
        int toolTokens,
        int systemTokens,
        List<TraceEntry> entries,
        JsonNode totals) {

    /** Requests of the root and of all subagents. */
    public int requestCount() {
        int count = 0;
        for (TraceEntry entry : entries) {
            count += entry instanceof SubagentEntry s ? s.requests().size() : 1;
        }
        return count;
    }

    /** Whether the root has a request; without one nothing can be replayed. */
    public boolean hasRoot() {
        return entries.stream().anyMatch(TraceRequest.class::isInstance);
    }

    Trace withEntries(List<TraceEntry> others) {
        return new Trace(id, models, blockSize, toolTokens, systemTokens, others, totals);
    }
}
