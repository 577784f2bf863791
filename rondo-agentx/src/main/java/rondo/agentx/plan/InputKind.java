package rondo.agentx.plan;

import rondo.agentx.trace.TraceRequest;

/** What the new input of a turn is (agentx-protocol.md R13). */
public enum InputKind {
    TOOL_RESULT,
    USER_INPUT,
    NONE;

    /** @param previousStop the stop reason of the turn before, empty for a first turn */
    static InputKind of(TraceRequest request, String previousStop) {
        if (request.inputTypes().contains("tool_result")) {
            return TOOL_RESULT;
        }
        if (!request.inputTypes().isEmpty()) {
            return USER_INPUT;
        }
        if (previousStop.isEmpty()) {
            return NONE;
        }
        return previousStop.equals("tool_use") ? TOOL_RESULT : USER_INPUT;
    }
}
