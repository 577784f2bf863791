package rondo.agentx.replay;

import java.util.List;
import rondo.agentx.plan.Marker;
import rondo.agentx.plan.SessionPlan;

/**
 * One replay of a trace on a lane: a live session tree.
 *
 * @param number         plays started before this one in the run
 * @param lane           index of the lane
 * @param pass           fresh plays of the same trace before this one
 * @param correlationIds one per conversation of the plan; the first is the tree's
 */
public record Play(SessionPlan plan, int number, int lane, int pass, Marker marker, List<String> correlationIds) {
    /** Correlation id of the root conversation, shared by the tree. */
    public String rootCorrelationId() {
        return correlationIds.getFirst();
    }
}
