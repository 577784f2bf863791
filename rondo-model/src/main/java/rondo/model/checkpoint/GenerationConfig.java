package rondo.model.checkpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What {@code generation_config.json} says: the tokens that end a reply (all of them do), and sampling defaults for
 * requests that are silent.
 *
 * @param doSample false: the checkpoint's default is greedy, whatever the other values say
 */
public record GenerationConfig(
        List<Integer> eos,
        boolean doSample,
        OptionalDouble temperature,
        OptionalDouble topP,
        OptionalInt topK,
        OptionalDouble repetitionPenalty) {
    public GenerationConfig {
        eos = List.copyOf(eos);
    }

    /** Reads the file if it is there; end tokens that it does not name come from {@code config.json}. */
    static GenerationConfig read(Path directory, ConfigNode config) {
        Path file = directory.resolve("generation_config.json");
        if (!Files.exists(file)) {
            return new GenerationConfig(
                    eosOf(config),
                    true,
                    OptionalDouble.empty(),
                    OptionalDouble.empty(),
                    OptionalInt.empty(),
                    OptionalDouble.empty());
        }
        ConfigNode node = ConfigNode.read(file);
        return new GenerationConfig(
                node.has("eos_token_id") ? node.tokens("eos_token_id") : eosOf(config),
                node.flag("do_sample", true),
                number(node, "temperature", 0, 100),
                number(node, "top_p", 0, 1),
                topK(node),
                number(node, "repetition_penalty", 0, 100));
    }

    private static List<Integer> eosOf(ConfigNode config) {
        if (config.has("eos_token_id")) {
            return config.tokens("eos_token_id");
        }
        return config.child("text_config")
                .filter(text -> text.has("eos_token_id"))
                .map(text -> text.tokens("eos_token_id"))
                .orElse(List.of());
    }

    private static OptionalDouble number(ConfigNode node, String key, double least, double most) {
        if (!node.has(key)) {
            return OptionalDouble.empty();
        }
        double value = node.number(key, 0);
        if (value < least || value > most) {
            throw node.wrong(key, "within " + least + " to " + most);
        }
        return OptionalDouble.of(value);
    }

    private static OptionalInt topK(ConfigNode node) {
        if (!node.has("top_k")) {
            return OptionalInt.empty();
        }
        double value = node.number("top_k", 0);
        if (value != Math.rint(value) || value < -1 || value > Integer.MAX_VALUE) {
            throw node.wrong("top_k", "a whole number");
        }
        return OptionalInt.of((int) Math.max(0, value));
    }
}
