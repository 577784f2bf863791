package rondo.agentx.plan;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The text that makes each play of a trace unique, so that no cache serves it from an earlier one
 * (agentx-protocol.md §5).
 *
 * @param text {@code [rid:…]}, or empty for no marker
 */
public record Marker(CacheBust where, String text) {
    /** No marker. */
    public static final Marker NONE = new Marker(CacheBust.NONE, "");

    /** Where the marker goes. */
    public enum CacheBust {
        NONE,
        SYSTEM_PREFIX,
        SYSTEM_SUFFIX,
        FIRST_TURN_PREFIX,
        FIRST_TURN_SUFFIX
    }

    /**
     * Mints the marker of one play.
     *
     * @param pass fresh plays of this trace before this one
     */
    public static Marker mint(CacheBust where, String benchmarkId, int pass, int lane, String rootTraceId) {
        if (where == CacheBust.NONE) {
            return NONE;
        }
        String name = benchmarkId + ":" + pass + ":" + lane + ":" + rootTraceId;
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return new Marker(where, "[rid:" + HexFormat.of().formatHex(hash, 0, 6) + "]");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Index of the message that carries the marker, or -1. */
    public int target(List<Segment> segments) {
        if (where == CacheBust.NONE) {
            return -1;
        }
        boolean system = where == CacheBust.SYSTEM_PREFIX || where == CacheBust.SYSTEM_SUFFIX;
        int firstUser = -1;
        for (int i = 0; i < segments.size(); i++) {
            if (system && segments.get(i).role() == Role.SYSTEM) {
                return i;
            }
            if (firstUser < 0 && segments.get(i).role() == Role.USER) {
                firstUser = i;
            }
        }
        return firstUser;
    }

    /** What is put in front of the marked message. */
    public String prefix() {
        return where == CacheBust.SYSTEM_PREFIX || where == CacheBust.FIRST_TURN_PREFIX ? text + "\n\n" : "";
    }

    /** What is put behind the marked message. */
    public String suffix() {
        return where == CacheBust.SYSTEM_SUFFIX || where == CacheBust.FIRST_TURN_SUFFIX ? "\n\n" + text : "";
    }
}
