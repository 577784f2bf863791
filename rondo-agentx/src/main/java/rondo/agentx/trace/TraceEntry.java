package rondo.agentx.trace;

/** One entry of a trace's {@code requests}: a request of the root agent, or a subagent with its own requests. */
public sealed interface TraceEntry permits TraceRequest, SubagentEntry {
    /** Start of the request, or marker time of the subagent; seconds from the start of the trace. */
    double t();
}
