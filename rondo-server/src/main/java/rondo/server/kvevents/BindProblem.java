package rondo.server.kvevents;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import org.zeromq.ZMQException;
import zmq.ZError;

/** Says in a person's words why an endpoint could not be bound. */
final class BindProblem {
    private BindProblem() {}

    static String of(RuntimeException fault, String endpoint) {
        String host = host(endpoint);
        if (!host.equals("*")) {
            try {
                if (NetworkInterface.getByInetAddress(InetAddress.getByName(host)) == null) {
                    return "the address is none of this machine's, choose another";
                }
            } catch (UnknownHostException e) {
                return "the host is not known, choose another";
            } catch (SocketException e) {
                return String.valueOf(fault.getMessage());
            }
        }
        // JeroMQ says so of every refusal by the system.
        return fault instanceof ZMQException e && e.getErrorCode() == ZError.EADDRINUSE
                ? "the port is in use, choose another"
                : String.valueOf(fault.getMessage());
    }

    private static String host(String endpoint) {
        int from = endpoint.indexOf("://") + 3;
        int to = endpoint.lastIndexOf(':');
        String host = endpoint.substring(from, Math.max(from, to));
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }
}
