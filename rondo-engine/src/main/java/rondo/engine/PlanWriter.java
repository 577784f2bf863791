package rondo.engine;

import rondo.base.TokenIds;
import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepPlan;

/** Writes the runs of a plan into its arrays; how their rows are sampled comes later, with {@link RowMasks}. */
final class PlanWriter {
    private PlanWriter() {}

    /** Appends a run of {@code s.planned} tokens for each sequence of the list that is still planned. */
    static void write(SequenceList list, boolean decode, StepPlan plan, Flight flight) {
        for (int i = 0; i < list.size(); i++) {
            Sequence s = list.get(i);
            if (s.planned > 0) {
                write(s, decode, plan, flight);
            }
        }
    }

    private static void write(Sequence s, boolean decode, StepPlan plan, Flight flight) {
        if (!s.begun) {
            begin(plan, s);
        }
        boolean sampled = s.planned == s.remaining();
        int run = plan.addRun(s.slot, s.submitted, s.planned, sampled ? 1 : 0);
        int start = plan.start[run];
        int known = Math.min(s.planned, s.keys.tokens() - s.submitted);
        s.keys.copyTokens(s.submitted, plan.tokenIds, start, known);
        if (known < s.planned) {
            plan.tokenIds[start + known] = StepPlan.LAST;
        }
        int row = Flight.NO_ROW;
        if (sampled) {
            row = plan.firstRow[run];
            plan.samples.wanted[row] = true;
            plan.samples.position[row] = s.outputAhead();
            plan.samples.forced[row] = SamplePlan.NONE;
            plan.samples.topLogprobs[row] = s.request.topLogprobs();
            plan.samples.masked[row] = false;
        }
        flight.add(s, s.planned, row, decode);
    }

    /** Only for a sequence without anything in flight, so its output is all known. */
    private static void begin(StepPlan plan, Sequence s) {
        s.begun = true;
        boolean history = s.request.sampling().penalizes();
        plan.begin(
                s.slot,
                s.request.sampling(),
                history ? s.request.prompt().ids() : TokenIds.empty(),
                history ? TokenIds.of(s.keys.outputIds()) : TokenIds.empty());
    }
}
