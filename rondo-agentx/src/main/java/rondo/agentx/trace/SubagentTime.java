package rondo.agentx.trace;

/** What the marker time of a subagent means (agentx-protocol.md T6). */
public enum SubagentTime {
    /** The instant at which it was started. */
    SPAWN,
    /** The instant at which it ended, where a duration is recorded. */
    END,
    /** Decided per trace from the distance to the preceding request. */
    AUTO
}
