package rondo.agentx.trace;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * One recorded subagent (agentx-protocol.md §1.4).
 *
 * @param t            marker time, seconds; whether it is the start or the end: see {@link SubagentTime}
 * @param durationMs   recorded duration, milliseconds; absent for one launched in the background
 * @param toolTokens   tokens of the tool definitions at the head of the subagent's own prompt
 * @param systemTokens tokens of its system prompt after the tools
 */
public record SubagentEntry(
        double t,
        String agentId,
        String subagentType,
        String status,
        OptionalDouble durationMs,
        OptionalLong totalTokens,
        OptionalLong toolUseCount,
        List<String> models,
        int toolTokens,
        int systemTokens,
        List<TraceRequest> requests)
        implements TraceEntry {}
