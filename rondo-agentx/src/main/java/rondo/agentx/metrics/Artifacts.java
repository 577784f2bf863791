package rondo.agentx.metrics;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import rondo.agentx.BenchResult;
import rondo.agentx.report.BenchTable;
import rondo.base.Json;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;

/** Writes the files of a run (agentx-protocol.md §9); each is whole or absent, whenever the process ends. */
public final class Artifacts {
    private Artifacts() {}

    /** Writes all files into the result's directory. */
    public static void write(BenchResult result) {
        Path directory = result.artifacts();
        text(directory.resolve("profile_export.jsonl"), RecordExport.jsonl(result));
        text(directory.resolve("profile_export_aiperf.csv"), SummaryExport.csv(result));
        json(directory.resolve("profile_export_aiperf.json"), SummaryExport.json(result));
        text(directory.resolve("profile_export_console.txt"), BenchTable.console(result));
        json(directory.resolve("rondo_point.json"), PointExport.json(result));
    }

    /** Writes a JSON file, indented. */
    public static void json(Path file, JsonNode value) {
        text(file, Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n");
    }

    /** Writes a text file through a temporary one beside it. */
    public static void text(Path file, String content) {
        Path temporary = file.resolveSibling("." + file.getFileName() + ".tmp");
        try {
            Files.writeString(temporary, content, StandardCharsets.UTF_8);
            try {
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UserError(UserError.USAGE, "bench: cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
