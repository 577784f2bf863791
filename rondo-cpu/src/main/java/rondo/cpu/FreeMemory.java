package rondo.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory the process may still take: what the system has, what the container allows, less the heap's growth. */
final class FreeMemory {
    private final Path root;

    /** @param root {@code /}; another directory in tests */
    FreeMemory(Path root) {
        this.root = root;
    }

    /** Bytes, never negative. Where nothing can be read, half of what the heap may grow to. */
    long bytes(long heapGrowth) {
        long available = field(root.resolve("proc/meminfo"), "MemAvailable:", 1024);
        available = Math.min(available, allowed("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"));
        available = Math.min(
                available,
                allowed(
                        "sys/fs/cgroup/memory",
                        "memory.limit_in_bytes",
                        "memory.usage_in_bytes",
                        "total_inactive_file"));
        if (available == Long.MAX_VALUE) {
            return heapGrowth / 2;
        }
        return Math.max(0, available - heapGrowth);
    }

    /** The file cache counts as used in a container, but gives way; its active part is left out of the estimate. */
    private long allowed(String directory, String limit, String usage, String cache) {
        Path at = root.resolve(directory);
        long most = number(at.resolve(limit));
        long used = number(at.resolve(usage));
        if (most == Long.MAX_VALUE || used == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long cached = field(at.resolve("memory.stat"), cache, 1);
        return Math.max(0, most - used + (cached == Long.MAX_VALUE ? 0 : cached));
    }

    private static long number(Path file) {
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException | NumberFormatException e) {
            return Long.MAX_VALUE; // no such file, or the word "max"
        }
    }

    private static long field(Path file, String name, long unit) {
        try {
            for (String line : Files.readAllLines(file)) {
                String[] words = line.strip().split("\\s+", -1);
                if (words.length >= 2 && words[0].equals(name)) {
                    return Long.parseLong(words[1]) * unit;
                }
            }
        } catch (IOException | NumberFormatException e) {
            // not Linux, or not readable: no limit known
        }
        return Long.MAX_VALUE;
    }
}
