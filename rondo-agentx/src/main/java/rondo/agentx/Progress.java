package rondo.agentx;

import java.util.Locale;

/** Hears how a run goes; called by the run's own thread. */
public interface Progress {
    /** Hears nothing. */
    Progress SILENT = new Progress() {};

    /** Something worth a line: what was loaded, a warning, a phase. */
    default void note(String line) {}

    /** About once a second while requests run. */
    default void running(Live live) {}

    /**
     * The state of a run.
     *
     * @param seconds        since the first request
     * @param lanes          live session trees
     * @param inFlight       requests on the wire
     * @param done           requests that returned, failed ones included
     * @param expected       requests in all; 0 where a duration bounds the run
     * @param failed         failed requests
     * @param totalTokens    input and output tokens of returned requests
     * @param outputTokens   output tokens of returned requests
     * @param ttftP50Millis  over returned requests, 0 before the first
     * @param hitPercent     server-reported prefix hits, 0 where it reports none
     * @param secondsLeft    until the duration ends; negative where there is none
     */
    record Live(
            double seconds,
            int lanes,
            int inFlight,
            int done,
            int expected,
            int failed,
            long totalTokens,
            long outputTokens,
            double ttftP50Millis,
            double hitPercent,
            double secondsLeft) {
        /** One plain line. */
        public String line() {
            String count = expected > 0 ? done + "/" + expected : Integer.toString(done);
            String tail = secondsLeft >= 0 ? String.format(Locale.ROOT, ", %.0f s left", secondsLeft) : "";
            double s = Math.max(seconds, 1e-9);
            return String.format(
                    Locale.ROOT,
                    "%5.0f s  %d sessions, %d in flight, %s requests, %.0f tok/s, %.1f out tok/s, TTFT p50 %.0f ms, hits %.1f %%, %d failed%s",
                    seconds,
                    lanes,
                    inFlight,
                    count,
                    totalTokens / s,
                    outputTokens / s,
                    ttftP50Millis,
                    hitPercent,
                    failed,
                    tail);
        }
    }
}
