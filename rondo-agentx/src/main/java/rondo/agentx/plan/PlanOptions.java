package rondo.agentx.plan;

import java.util.OptionalInt;
import rondo.agentx.trace.ContextScale;
import rondo.agentx.trace.SubagentTime;

/**
 * Choices in making a plan from a trace.
 *
 * @param maxOutput cap of the output asked for by top-level turns and chains split from them, tokens (T8)
 */
public record PlanOptions(
        ContextScale scale,
        SubagentTime subagentTime,
        SpawnAnchor spawnAnchor,
        OptionalInt maxOutput,
        ChainRules chains) {
    public static PlanOptions defaults() {
        return new PlanOptions(
                ContextScale.NONE, SubagentTime.AUTO, SpawnAnchor.BRANCH, OptionalInt.empty(), ChainRules.defaults());
    }

    public PlanOptions withScale(ContextScale other) {
        return new PlanOptions(other, subagentTime, spawnAnchor, maxOutput, chains);
    }

    public PlanOptions withMaxOutput(OptionalInt other) {
        return new PlanOptions(scale, subagentTime, spawnAnchor, other, chains);
    }

    public PlanOptions withSubagentTime(SubagentTime other) {
        return new PlanOptions(scale, other, spawnAnchor, maxOutput, chains);
    }

    public PlanOptions withSpawnAnchor(SpawnAnchor other) {
        return new PlanOptions(scale, subagentTime, other, maxOutput, chains);
    }

    /** From which instant a child's first turn is delayed (D3). */
    public enum SpawnAnchor {
        BRANCH,
        PARENT_END
    }

    /**
     * Thresholds of chain detection and classification (agentx-protocol.md C3, C5); zero disables an arm.
     *
     * @param split whether side chains are detected at all
     */
    public record ChainRules(
            boolean split,
            int auxMaxRequests,
            boolean auxCrossModel,
            int auxFloor,
            double auxRatio,
            int reductionMaxOutput,
            double reductionRatio,
            int workerGroupMin,
            double seamMaxGapSeconds,
            double seamMinOverlap) {
        public static ChainRules defaults() {
            return new ChainRules(true, 1, true, 16384, 0.10, 4000, 20.0, 3, 3600, 0.5);
        }
    }
}
