package rondo.agentx.client;

import java.util.Arrays;

/** Splits a server-sent event stream into the data of its events, however the bytes are cut into pieces. */
final class SseParser {
    /** Takes the data of one event: bytes {@code [from, from + length)} of a buffer that is reused afterwards. */
    @FunctionalInterface
    interface Events {
        void data(byte[] bytes, int from, int length);
    }

    private final Events events;

    /** Bytes not yet consumed: at most one unfinished line. */
    private byte[] held = new byte[4096];

    private int heldLength;

    /** Data lines of the current event. */
    private byte[] data = new byte[4096];

    private int dataLength;
    private boolean hasData;

    SseParser(Events events) {
        this.events = events;
    }

    void feed(byte[] more) {
        byte[] bytes = more;
        int length = more.length;
        if (heldLength > 0) {
            bytes = Arrays.copyOf(held, heldLength + more.length);
            System.arraycopy(more, 0, bytes, heldLength, more.length);
            length = bytes.length;
        }
        int at = 0;
        for (int i = heldLength; i < length; i++) {
            if (bytes[i] == '\n') {
                int end = i > at && bytes[i - 1] == '\r' ? i - 1 : i;
                line(bytes, at, end - at);
                at = i + 1;
            }
        }
        heldLength = length - at;
        if (held.length < heldLength) {
            held = new byte[heldLength * 2];
        }
        System.arraycopy(bytes, at, held, 0, heldLength);
    }

    /** The stream is over: an event without its closing empty line still counts. */
    void end() {
        if (heldLength > 0) {
            line(held, 0, heldLength);
            heldLength = 0;
        }
        dispatch();
    }

    private void line(byte[] bytes, int from, int length) {
        if (length == 0) {
            dispatch();
        } else if (length >= 5
                && bytes[from] == 'd'
                && bytes[from + 1] == 'a'
                && bytes[from + 2] == 't'
                && bytes[from + 3] == 'a'
                && bytes[from + 4] == ':') {
            int skip = length > 5 && bytes[from + 5] == ' ' ? 6 : 5;
            append(bytes, from + skip, length - skip);
        }
    }

    private void append(byte[] bytes, int from, int length) {
        int extra = hasData ? 1 : 0;
        if (data.length < dataLength + length + extra) {
            data = Arrays.copyOf(data, (dataLength + length + extra) * 2);
        }
        if (hasData) {
            data[dataLength++] = '\n';
        }
        System.arraycopy(bytes, from, data, dataLength, length);
        dataLength += length;
        hasData = true;
    }

    private void dispatch() {
        if (hasData) {
            int length = dataLength;
            hasData = false;
            dataLength = 0;
            events.data(data, 0, length);
        }
    }
}
