package rondo.cli;

import java.nio.file.Path;
import java.util.Optional;
import rondo.cli.config.ServeConfig;

/**
 * A command line of {@code rondo serve}, checked.
 *
 * @param model        the model's directory; it exists
 * @param servedName   id of the model in the API
 * @param host         address to listen on
 * @param port         port to listen on; 0 = any free one
 * @param chatTemplate text of a template that replaces the checkpoint's
 * @param config       everything else
 */
public record ServeRequest(
        Path model, String servedName, String host, int port, Optional<String> chatTemplate, ServeConfig config) {}
