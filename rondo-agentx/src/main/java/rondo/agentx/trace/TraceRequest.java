package rondo.agentx.trace;

import java.util.List;
import java.util.OptionalDouble;

/**
 * One recorded request (agentx-protocol.md §1.3).
 *
 * @param t           start, seconds from the start of the conversation
 * @param streamed    whether the recording streamed ({@code type} "s"); no influence on the replay
 * @param in          exact prompt length, tokens
 * @param out         output length, tokens; 0 is legal
 * @param hashIds     ids of the prompt's blocks in order; shared, never modified
 * @param apiTime     recorded duration at the server, seconds
 * @param thinkTime   recorded gap before the request, seconds
 * @param ttft        recorded time to first token, seconds
 */
public record TraceRequest(
        double t,
        boolean streamed,
        String model,
        int in,
        int out,
        int[] hashIds,
        List<String> inputTypes,
        List<String> outputTypes,
        String stop,
        OptionalDouble apiTime,
        OptionalDouble thinkTime,
        OptionalDouble ttft)
        implements TraceEntry {

    /** Recorded duration, seconds; 0 where it is missing, negative or not finite. */
    public double apiSeconds() {
        double api = apiTime.orElse(0);
        return Double.isFinite(api) && api > 0 ? api : 0;
    }

    /** Recorded end, seconds. */
    public double end() {
        return t + apiSeconds();
    }

    /** The same request at another time. */
    public TraceRequest at(double time) {
        return new TraceRequest(
                time, streamed, model, in, out, hashIds, inputTypes, outputTypes, stop, apiTime, thinkTime, ttft);
    }

    /** The same request with another prompt. */
    TraceRequest withPrompt(int tokens, int[] ids) {
        return new TraceRequest(
                t, streamed, model, tokens, out, ids, inputTypes, outputTypes, stop, apiTime, thinkTime, ttft);
    }
}
