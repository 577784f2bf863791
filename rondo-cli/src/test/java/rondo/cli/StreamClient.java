package rondo.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** One request on a socket of its own, read as slowly as the test likes and left whenever it likes. */
final class StreamClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket = new Socket();
    private final InputStream in;

    StreamClient(URI server, String path, String body) throws IOException {
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(new InetSocketAddress(InetAddress.getByName(server.getHost()), server.getPort()));
        in = new BufferedInputStream(socket.getInputStream());
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head = "POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nContent-Length: " + bytes.length + "\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** The next line without its end; "" also at the end of the answer. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString().stripTrailing();
    }

    /** The status of the answer; its headers follow. */
    int status() throws IOException {
        return Integer.parseInt(line().split(" ")[1]);
    }

    /** Reads up to the next event with data; false after the last one. */
    boolean event() throws IOException {
        for (String line = line(); ; line = line()) {
            if (line.equals("data: [DONE]")) {
                return false;
            }
            if (line.startsWith("data: ")) {
                return true;
            }
        }
    }

    /** Everything that is still to come. */
    String rest() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
