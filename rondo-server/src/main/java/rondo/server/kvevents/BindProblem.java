package rondo.server.kvevents;

import org.zeromq.ZMQException;
import zmq.ZError;

/** Says in a person's words why an endpoint could not be bound. */
final class BindProblem {
    private BindProblem() {}

    static String of(RuntimeException fault) {
        if (fault instanceof ZMQException e) {
            return switch (e.getErrorCode()) {
                case ZError.EADDRINUSE -> "the port is in use, choose another";
                case ZError.EADDRNOTAVAIL -> "the address is none of this machine's, choose another";
                default -> String.valueOf(e.getMessage());
            };
        }
        return String.valueOf(fault.getMessage());
    }
}
