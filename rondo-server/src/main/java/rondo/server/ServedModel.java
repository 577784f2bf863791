package rondo.server;

import java.time.LocalDateTime;
import java.util.function.Supplier;
import rondo.text.ChatEncoder;
import rondo.text.Tokenizer;
import rondo.text.parse.OutputParsers;

/**
 * The one model that is served, as the front needs it.
 *
 * @param id            the name under which it is asked for
 * @param chat          how its conversations become prompts
 * @param templateReadsParts whether its template walks over parts of content ({@link ContentParts})
 * @param templateTime  what templates take for now
 * @param parsers       how its chat answers are read
 * @param endIds        all its end tokens, of which any ends a generation
 * @param deterministic whether answers are the same under any load
 * @param version       of Rondo
 * @param configHash    eight hex digits over the effective configuration, part of {@code system_fingerprint}
 */
public record ServedModel(
        String id,
        Tokenizer tokenizer,
        ChatEncoder chat,
        boolean templateReadsParts,
        Supplier<LocalDateTime> templateTime,
        OutputParsers parsers,
        SamplingDefaults defaults,
        int[] endIds,
        boolean deterministic,
        WeightSummary weights,
        String version,
        String configHash) {
    public ServedModel {
        endIds = endIds.clone();
    }

    /** Whether there is no tokenizer: token ids come in and go out. */
    boolean idsOnly() {
        return tokenizer instanceof IdsOnly;
    }

    String fingerprint() {
        return "rondo-" + version + "-" + configHash;
    }
}
