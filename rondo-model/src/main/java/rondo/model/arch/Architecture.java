package rondo.model.arch;

import java.util.List;
import rondo.model.checkpoint.ConfigNode;
import rondo.model.checkpoint.Faults;

/** How one {@code model_type} reads: its configuration as a {@link DecoderSpec}, and its table of tensor names. */
public sealed interface Architecture permits MuseGlimmer {
    /** All that are supported. */
    List<Architecture> ALL = List.of(new MuseGlimmer());

    /** The {@code model_type} of {@code config.json}. */
    String modelType();

    /** Reads {@code config.json}; whatever it cannot express is an error that names the key. */
    DecoderSpec spec(ConfigNode config);

    TensorTable tensors();

    /** The architecture that a configuration names. */
    static Architecture of(ConfigNode config) {
        List<String> supported = ALL.stream().map(Architecture::modelType).toList();
        String type = config.text("model_type")
                .orElseThrow(
                        () -> config.fault("model_type", "is missing; supported: " + String.join(", ", supported)));
        return ALL.stream()
                .filter(a -> a.modelType().equals(type))
                .findFirst()
                .orElseThrow(() -> Faults.in(
                        config.file(),
                        "model_type '" + type + "' is not supported; supported: " + String.join(", ", supported)));
    }
}
