package rondo.base;

import java.util.concurrent.ThreadFactory;

/** Where all threads come from: named, daemon, so that a leak has a name and never keeps the process alive. */
public final class Threads {
    private Threads() {}

    /** Platform threads named {@code <prefix>-0}, {@code <prefix>-1}, … */
    public static ThreadFactory platform(String prefix) {
        return Thread.ofPlatform().name(prefix + "-", 0).daemon(true).factory();
    }

    /** One platform thread, started. */
    public static Thread start(String name, Runnable body) {
        return Thread.ofPlatform().name(name).daemon(true).start(body);
    }
}
