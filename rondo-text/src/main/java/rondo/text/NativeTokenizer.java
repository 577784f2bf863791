package rondo.text;

import ai.djl.huggingface.tokenizers.jni.LibUtils;
import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import rondo.base.Env;
import rondo.base.UserError;

/**
 * One tokenizer of the native library, without its Java wrapper: the wrapper reports home when it is made and copies
 * eight arrays per text where one is wanted. Thread-safe; a use after {@link #close} is an exception, not a crash.
 */
final class NativeTokenizer implements AutoCloseable {
    private final ReadWriteLock life = new ReentrantReadWriteLock();
    private final long handle;
    private boolean closed;

    private NativeTokenizer(long handle) {
        this.handle = handle;
    }

    /** Makes a tokenizer from the text of a {@code tokenizer.json}. */
    static NativeTokenizer of(String json, Path file) {
        TokenizersLibrary library = library();
        try {
            long handle = library.createTokenizerFromString(json);
            library.disableTruncation(handle);
            library.disablePadding(handle);
            return new NativeTokenizer(handle);
        } catch (RuntimeException e) {
            throw new UserError(UserError.MODEL, "model: " + file + " is not a tokenizer: " + e.getMessage(), e);
        }
    }

    /** The ids of a text, nothing added. */
    long[] encode(String text) {
        return encode(text, false);
    }

    long[] encode(String text, boolean addSpecialTokens) {
        life.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException("the tokenizer is closed");
            }
            TokenizersLibrary library = TokenizersLibrary.LIB;
            long encoding = library.encode(handle, text, addSpecialTokens);
            try {
                return library.getTokenIds(encoding);
            } finally {
                library.deleteEncoding(encoding);
            }
        } finally {
            life.readLock().unlock();
        }
    }

    @Override
    public void close() {
        life.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                TokenizersLibrary.LIB.deleteTokenizer(handle);
            }
        } finally {
            life.writeLock().unlock();
        }
    }

    /**
     * Loads the native library. Its settings are system properties of the process, read when it is first used: the CPU
     * build, offline (it would download a CUDA build on a host with a GPU), unpacked into the user's cache directory.
     */
    private static TokenizersLibrary library() {
        setDefault("RUST_FLAVOR", "cpu");
        setDefault("ai.djl.offline", "true");
        setDefault("OPT_OUT_TRACKING", "true");
        if (Env.system().get("DJL_CACHE_DIR").isEmpty() && System.getProperty("DJL_CACHE_DIR") == null) {
            System.setProperty("DJL_CACHE_DIR", cacheDirectory().toString());
        }
        try {
            LibUtils.checkStatus();
            return TokenizersLibrary.LIB;
        } catch (LinkageError | RuntimeException e) {
            throw new UserError(
                    UserError.MODEL,
                    "model: the native tokenizer library cannot be loaded (unpacked to "
                            + System.getProperty("DJL_CACHE_DIR") + ", set DJL_CACHE_DIR to move it): "
                            + rootMessage(e),
                    e);
        }
    }

    private static void setDefault(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    private static Path cacheDirectory() {
        Path base = Env.system()
                .get("XDG_CACHE_HOME")
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home", "."), ".cache"));
        Path wanted = base.resolve("rondo").resolve("native");
        try {
            Files.createDirectories(wanted);
            if (Files.isWritable(wanted)) {
                return wanted;
            }
        } catch (IOException e) {
            // a home that cannot be written (a container, say): the temporary directory serves
        }
        return Path.of(System.getProperty("java.io.tmpdir"), "rondo-" + System.getProperty("user.name", "user"));
    }

    private static String rootMessage(Throwable e) {
        Throwable at = e;
        while (at.getCause() != null) {
            at = at.getCause();
        }
        return String.valueOf(at.getMessage());
    }
}
