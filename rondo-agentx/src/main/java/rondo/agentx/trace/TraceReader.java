package rondo.agentx.trace;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import rondo.base.UserError;

/** Reads traces from a file or a directory: {@code *.json}, {@code *.jsonl}, each also with {@code .gz} (T1). */
public final class TraceReader {
    private final List<Trace> traces = new ArrayList<>();
    private final Map<String, String> placeOfId = new HashMap<>();
    private final Map<String, Integer> unknownKeys = new LinkedHashMap<>();

    private TraceReader() {}

    /**
     * What was read.
     *
     * @param traces   in load order: files by name, rows by line
     * @param warnings one line each, for people
     */
    public record Loaded(List<Trace> traces, List<String> warnings) {}

    /** Reads everything under {@code path}; the first fault ends the reading with file, line and what was wrong. */
    public static Loaded read(Path path) {
        TraceReader reader = new TraceReader();
        for (Path file : files(path)) {
            reader.readFile(file);
        }
        if (reader.traces.isEmpty()) {
            throw error("traces: " + path + " holds no trace");
        }
        List<String> warnings = new ArrayList<>();
        reader.unknownKeys.forEach((key, count) -> warnings.add(
                "traces: unknown key '" + key + "' ignored, " + count + (count == 1 ? " time" : " times")));
        return new Loaded(List.copyOf(reader.traces), List.copyOf(warnings));
    }

    private static List<Path> files(Path path) {
        if (!Files.exists(path)) {
            throw error("traces: " + path + " does not exist");
        }
        if (!Files.isDirectory(path)) {
            if (!isTraceFile(path)) {
                throw error("traces: " + path + " must end in .json, .jsonl, .json.gz or .jsonl.gz");
            }
            return List.of(path);
        }
        try (Stream<Path> entries = Files.list(path)) {
            List<Path> files = entries.filter(TraceReader::isTraceFile)
                    .filter(Files::isRegularFile)
                    .sorted((a, b) ->
                            a.getFileName().toString().compareTo(b.getFileName().toString()))
                    .toList();
            if (files.isEmpty()) {
                throw error("traces: directory " + path + " holds no *.json, *.jsonl, *.json.gz or *.jsonl.gz");
            }
            return files;
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static boolean isTraceFile(Path path) {
        String name = path.getFileName().toString();
        return name.endsWith(".json")
                || name.endsWith(".jsonl")
                || name.endsWith(".json.gz")
                || name.endsWith(".jsonl.gz");
    }

    private void readFile(Path file) {
        String name = file.getFileName().toString();
        try (InputStream in = open(file, name.endsWith(".gz"))) {
            if (name.endsWith(".json") || name.endsWith(".json.gz")) {
                byte[] text = in.readAllBytes();
                add(TraceParser.parse(text, file.toString(), 1, unknownKeys), file + ":1");
            } else {
                readRows(file, new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
            }
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private void readRows(Path file, BufferedReader rows) throws IOException {
        int line = 0;
        for (String row = rows.readLine(); row != null; row = rows.readLine()) {
            line++;
            if (!row.isBlank()) {
                byte[] text = row.getBytes(StandardCharsets.UTF_8);
                add(TraceParser.parse(text, file.toString(), line, unknownKeys), file + ":" + line);
            }
        }
    }

    private void add(Trace trace, String place) {
        String earlier = placeOfId.putIfAbsent(trace.id(), place);
        if (earlier != null) {
            throw error("traces: id '" + trace.id() + "' occurs twice (" + earlier + " and " + place + ")");
        }
        traces.add(trace);
    }

    private static InputStream open(Path file, boolean compressed) throws IOException {
        InputStream raw = Files.newInputStream(file);
        return compressed ? new GZIPInputStream(raw, 1 << 16) : new BufferedInputStream(raw, 1 << 16);
    }

    private static UserError unreadable(Path path, IOException e) {
        String why = e instanceof NoSuchFileException ? "does not exist" : "cannot be read: " + e.getMessage();
        return new UserError(UserError.USAGE, "traces: " + path + " " + why, e);
    }

    private static UserError error(String message) {
        return new UserError(UserError.USAGE, message);
    }
}
