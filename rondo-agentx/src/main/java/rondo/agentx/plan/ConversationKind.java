package rondo.agentx.plan;

/** Where a conversation comes from (agentx-protocol.md C5). */
public enum ConversationKind {
    ROOT,
    SUBAGENT,
    /** A side chain that is an agent of its own. */
    SOLO_AGENT,
    /** A short side request: a title, a summary, a reduction. */
    AUXILIARY,
    /** One of several chains that fork from the same request and overlap. */
    WORKER_GROUP
}
