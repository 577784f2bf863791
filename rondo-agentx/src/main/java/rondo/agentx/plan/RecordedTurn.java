package rondo.agentx.plan;

import rondo.agentx.trace.TraceRequest;

/** A recorded request with its place in the trace; {@code inner} is -1 for a top-level one. Times are absolute. */
record RecordedTurn(int outer, int inner, TraceRequest request) {
    int index() {
        return inner < 0 ? outer : inner;
    }

    double start() {
        return request.t();
    }

    double end() {
        return request.end();
    }

    int[] ids() {
        return request.hashIds();
    }
}
