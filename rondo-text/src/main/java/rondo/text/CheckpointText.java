package rondo.text;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import rondo.base.Json;
import rondo.base.UserError;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Reads the small text files of a checkpoint directory. */
final class CheckpointText {
    private CheckpointText() {}

    /** The file as JSON, or a missing node when there is none. */
    static JsonNode json(Path checkpoint, String name) {
        Path file = checkpoint.resolve(name);
        if (!Files.exists(file)) {
            return MissingNode.getInstance();
        }
        try {
            return Json.mapper().readTree(text(file));
        } catch (JacksonException e) {
            throw new UserError(
                    UserError.MODEL,
                    "model: " + file + " is not valid JSON (line "
                            + (e.getLocation() == null ? 0 : e.getLocation().getLineNr()) + "): "
                            + Json.fault(e),
                    e);
        }
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UserError(UserError.MODEL, "model: cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
