package rondo.agentx.plan;

/** A turn of a session plan, by the indices of its conversation and of itself in it. */
public record TurnRef(int conversation, int turn) {}
