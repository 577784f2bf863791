package rondo.server;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of API keys, one a line; empty lines and lines that begin with {@code #} do not count. It is read again when it
 * has changed; what cannot be read then leaves the keys as they are.
 */
public final class KeyFile {
    private static final Logger LOG = LoggerFactory.getLogger(KeyFile.class);
    private static final long MAX_BYTES = 1 << 20;
    private static final int MAX_KEYS = 1000;

    private final Path path;
    private Stamp read;

    /** By what a changed file is told: a secret that a container mounts is swapped whole, with a new time. */
    private record Stamp(FileTime time, long size) {}

    KeyFile(Path path) {
        this.path = path;
        this.read = new Stamp(FileTime.fromMillis(0), -1);
    }

    /** The keys, if the file has changed since the last call and still holds some; else none. */
    synchronized List<String> changed() {
        try {
            Stamp now = new Stamp(Files.getLastModifiedTime(path), Files.size(path));
            if (now.equals(read)) {
                return List.of();
            }
            read = now;
            return keys(path);
        } catch (IOException | KeyFileException e) {
            LOG.warn("api_keys_file={} is left aside, the keys stay as they were: {}", path, reason(e));
            return List.of();
        }
    }

    private static String reason(Exception fault) {
        return fault instanceof NoSuchFileException ? "it does not exist" : String.valueOf(fault.getMessage());
    }

    /** What is wrong with a file of keys; the message goes on from "the file …". */
    public static final class KeyFileException extends Exception {
        KeyFileException(String message) {
            super(message);
        }
    }

    /**
     * The keys of a file, at least one.
     *
     * @throws KeyFileException if it cannot be read, holds no key, or a line is none
     */
    public static List<String> keys(Path path) throws KeyFileException {
        String text;
        try {
            if (Files.size(path) > MAX_BYTES) {
                throw new KeyFileException("it is larger than 1 MiB");
            }
            text = Files.readString(path, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new KeyFileException("it does not exist");
        } catch (CharacterCodingException e) {
            throw new KeyFileException("it is not UTF-8");
        } catch (IOException e) {
            throw new KeyFileException("it cannot be read: " + e.getMessage());
        }
        List<String> keys = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String key = line.strip();
            if (key.isEmpty() || key.startsWith("#")) {
                continue;
            }
            if (!isKey(key)) {
                // Never the line itself: it may be a secret.
                throw new KeyFileException(
                        "line " + number + " is no key: printable ASCII without spaces, at most 512 characters");
            }
            keys.add(key);
        }
        if (keys.isEmpty()) {
            throw new KeyFileException("it holds no key");
        }
        if (keys.size() > MAX_KEYS) {
            throw new KeyFileException("it holds " + keys.size() + " keys, at most " + MAX_KEYS + " are read");
        }
        return List.copyOf(keys);
    }

    /** Whether a text can be sent as a key in a header: printable ASCII without spaces, 1 to 512 characters. */
    public static boolean isKey(String text) {
        return !text.isEmpty() && text.length() <= 512 && text.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    /** Whether every user of the machine can read it; false where the file system cannot say. */
    public static boolean isOpenToAll(Path path) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
            return permissions.contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
