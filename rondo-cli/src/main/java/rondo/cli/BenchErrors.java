package rondo.cli;

import java.io.PrintWriter;
import rondo.agentx.BenchResult;
import rondo.agentx.metrics.RunSummary;

/** Tells why requests of a run failed. */
final class BenchErrors {
    private static final int KINDS = 5;

    private BenchErrors() {}

    /** One line per kind of failure, the first few. */
    static void tell(BenchResult result, PrintWriter out) {
        for (RunSummary.ErrorCount error :
                result.summary().errors().stream().limit(KINDS).toList()) {
            out.printf("failed %d times: %d %s: %s%n", error.count(), error.code(), error.type(), error.message());
        }
    }

    static boolean allFailed(BenchResult result) {
        return result.row().failedRequests() > 0
                && result.row().failedRequests() >= result.row().requests();
    }
}
