package rondo.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A socket that sends bytes as they are given and reads when it is told to. */
final class RawClient implements AutoCloseable {
    final Socket socket = new Socket();
    private final InputStream in;

    RawClient(TestServer server) throws IOException {
        this(server, 0);
    }

    /**
     * @param receiveBuffer bytes that the system may hold for a client that does not read; 0 = as usual
     */
    RawClient(TestServer server, int receiveBuffer) throws IOException {
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.setSoTimeout(10_000);
        socket.connect(new InetSocketAddress("127.0.0.1", server.server.port()));
        in = new BufferedInputStream(socket.getInputStream());
    }

    RawClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
        return this;
    }

    RawClient post(String path, String body) throws IOException {
        return send("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
    }

    /** A line without its end; null at the end of the stream. */
    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0; c = in.read()) {
            if (c == '\n') {
                return line.toString().stripTrailing();
            }
            line.append((char) c);
        }
        return line.isEmpty() ? null : line.toString();
    }

    /** Reads up to the first line that begins so. */
    String lineThatBegins(String prefix) throws IOException {
        for (String line = line(); line != null; line = line()) {
            if (line.startsWith(prefix)) {
                return line;
            }
        }
        throw new AssertionError("no line begins with " + prefix);
    }

    /** A whole answer with a Content-Length: status line, headers, body. */
    String answer() throws IOException {
        StringBuilder all = new StringBuilder();
        int length = 0;
        for (String line = line(); line != null && !line.isEmpty(); line = line()) {
            all.append(line).append('\n');
            if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        return all.append('\n')
                .append(new String(in.readNBytes(length), StandardCharsets.UTF_8))
                .toString();
    }

    /** All text up to the end of a stream. */
    String untilDone() throws IOException {
        StringBuilder all = new StringBuilder();
        for (String line = line(); line != null; line = line()) {
            if (line.equals("data: [DONE]")) {
                return all.toString();
            }
            all.append(line).append('\n');
        }
        throw new AssertionError("the stream ended without [DONE]");
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
