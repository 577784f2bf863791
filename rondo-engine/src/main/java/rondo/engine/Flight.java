package rondo.engine;

/** A step from its plan to its await: whose runs it has, how long they are, and which of its rows are theirs. Reused. */
final class Flight {
    /** A run without a row. */
    static final int NO_ROW = -1;

    final SequenceList runs = new SequenceList(false);
    /** Tokens of each run. */
    final int[] length;
    /** The row whose sample continues the sequence, or {@link #NO_ROW}. */
    final int[] row;

    long step;
    long begunNanos;
    /** Work of the device, and of the host for masks, sampling and results. */
    long deviceNanos;

    long hostNanos;
    int prefillRuns;
    int prefillTokens;
    int decodeTokens;

    Flight(int maxRuns) {
        length = new int[maxRuns];
        row = new int[maxRuns];
    }

    void clear() {
        runs.clear();
        prefillRuns = 0;
        prefillTokens = 0;
        decodeTokens = 0;
    }

    /** Run {@code runs.size()} of the plan belongs to {@code s}. */
    void add(Sequence s, int tokens, int sampleRow, boolean decode) {
        length[runs.size()] = tokens;
        row[runs.size()] = sampleRow;
        runs.add(s);
        if (decode) {
            decodeTokens += tokens;
        } else {
            prefillRuns++;
            prefillTokens += tokens;
        }
    }

    /** The executor has taken the step: its tokens are under way. */
    void submitted(long number) {
        step = number;
        for (int i = 0; i < runs.size(); i++) {
            Sequence s = runs.get(i);
            s.submitted += length[i];
            s.inFlight++;
            s.workStep = number;
            if (row[i] != NO_ROW) {
                s.samplesInFlight++;
                s.state = Sequence.State.DECODE;
            }
        }
    }
}
