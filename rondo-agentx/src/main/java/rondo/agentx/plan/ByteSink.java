package rondo.agentx.plan;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array. */
public final class ByteSink {
    private byte[] bytes;
    private int length;

    public ByteSink(int capacity) {
        bytes = new byte[Math.max(16, capacity)];
    }

    public void add(byte[] more) {
        if (length + more.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more.length));
        }
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
    }

    public void add(String text) {
        add(text.getBytes(StandardCharsets.UTF_8));
    }

    public int length() {
        return length;
    }

    public byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }
}
