package rondo.agentx.synth;

import java.util.OptionalInt;
import rondo.base.UserError;

/**
 * What synthetic traces are like; the defaults give the statistics of recorded ones, the rest makes them small.
 *
 * @param traces        how many
 * @param turns         requests of the root agent per trace; absent: drawn (median 45)
 * @param blockSize     tokens per block
 * @param firstPrompt   median first prompt, tokens; absent: as recorded (about 21,000, a third of them far longer)
 * @param growth        median new input per turn, tokens; absent: as recorded (about 830)
 * @param maxPrompt     length at which the context is compacted, tokens; absent: drawn per trace
 * @param outputScale   factor of output lengths (recorded median 216)
 * @param timeScale     factor of pauses and durations (recorded median pause 9.6 s)
 * @param subagentShare share of traces that have subagents
 */
public record SynthOptions(
        long seed,
        int traces,
        OptionalInt turns,
        int blockSize,
        OptionalInt firstPrompt,
        OptionalInt growth,
        OptionalInt maxPrompt,
        double outputScale,
        double timeScale,
        double subagentShare) {

    public SynthOptions {
        positive(traces, "--traces");
        positive(turns.orElse(1), "--turns");
        positive(blockSize, "--block-size");
        positive(firstPrompt.orElse(1), "--first-prompt");
        positive(growth.orElse(1), "--growth");
        positive(maxPrompt.orElse(1), "--max-prompt");
        if (!(outputScale > 0) || !(timeScale >= 0) || !(subagentShare >= 0 && subagentShare <= 1)) {
            throw new UserError(
                    UserError.USAGE,
                    "traces: --output-scale must be > 0, --time-scale >= 0, --subagent-share from 0 to 1, got "
                            + outputScale + ", " + timeScale + ", " + subagentShare);
        }
    }

    private static void positive(int value, String flag) {
        if (value < 1) {
            throw new UserError(UserError.USAGE, "traces: " + flag + " must be >= 1, got " + value);
        }
    }

    /** Traces as recorded ones are. */
    public static SynthOptions real(long seed, int traces) {
        return new SynthOptions(
                seed,
                traces,
                OptionalInt.empty(),
                64,
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                1,
                1,
                0.1);
    }

    /** Traces for a small model on a small machine: the same shape, everything else {@code turns}, short and quick. */
    public static SynthOptions small(long seed, int traces, int turns, int firstPrompt, int growth) {
        return new SynthOptions(
                seed,
                traces,
                OptionalInt.of(turns),
                16,
                OptionalInt.of(firstPrompt),
                OptionalInt.of(growth),
                OptionalInt.empty(),
                0.1,
                0.02,
                0.25);
    }
}
