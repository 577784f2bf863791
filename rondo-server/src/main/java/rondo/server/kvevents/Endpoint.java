package rondo.server.kvevents;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import org.zeromq.ZMQException;
import zmq.ZError;

/** Where a socket is bound: {@code tcp://HOST:PORT}. */
record Endpoint(String text) {
    private static final String EVERY_ADDRESS = "*";

    private String host() {
        int from = text.indexOf("://") + 3;
        int to = text.lastIndexOf(':');
        String host = text.substring(from, Math.max(from, to));
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    boolean isIpv6() {
        return text.contains("[");
    }

    /** Whether only this machine can reach it. */
    boolean isLoopback() {
        try {
            return !host().equals(EVERY_ADDRESS)
                    && InetAddress.getByName(host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** In a person's words, why it could not be bound. */
    String problem(RuntimeException fault) {
        if (!host().equals(EVERY_ADDRESS)) {
            try {
                if (NetworkInterface.getByInetAddress(InetAddress.getByName(host())) == null) {
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
}
