package rondo.model.arch;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import rondo.model.checkpoint.ConfigNode;

/**
 * {@code muse_glimmer}, the text decoder (models.md §1): sandwich norms, weightless q/k norms, a gate on the attention's
 * output, sliding layers with rotation and full ones without, capped logits.
 */
public final class MuseGlimmer implements Architecture {
    // Values of the released 30B model, for keys that a file leaves out.
    private static final double ROPE_THETA = 500_000;
    private static final double NORM_EPS = 1e-5;
    private static final double POST_NORM_EPS = 1e-8;
    private static final double QK_SCALE = 3.87;
    private static final double LOGIT_MULTIPLIER = 0.19611613513818404;
    private static final double LOGIT_CAP = 20;

    @Override
    public String modelType() {
        return "muse_glimmer";
    }

    @Override
    public TensorTable tensors() {
        Map<TensorRole, String> layer = new EnumMap<>(TensorRole.class);
        layer.put(TensorRole.ATTENTION_NORM, "input_layernorm.weight");
        layer.put(TensorRole.QUERY, "self_attn.q_proj.weight");
        layer.put(TensorRole.KEY, "self_attn.k_proj.weight");
        layer.put(TensorRole.VALUE, "self_attn.v_proj.weight");
        layer.put(TensorRole.ATTENTION_GATE, "self_attn.gate_proj.weight");
        layer.put(TensorRole.ATTENTION_OUTPUT, "self_attn.o_proj.weight");
        layer.put(TensorRole.ATTENTION_POST_NORM, "post_attention_layernorm.weight");
        layer.put(TensorRole.FFN_NORM, "pre_feedforward_layernorm.weight");
        layer.put(TensorRole.FFN_GATE, "mlp.gate_proj.weight");
        layer.put(TensorRole.FFN_UP, "mlp.up_proj.weight");
        layer.put(TensorRole.FFN_DOWN, "mlp.down_proj.weight");
        layer.put(TensorRole.FFN_POST_NORM, "post_feedforward_layernorm.weight");
        return new TensorTable(
                "model.language_model.embed_tokens.weight",
                "model.language_model.norm.weight",
                "lm_head.weight",
                "model.language_model.layers.{i}.",
                layer,
                List.of("model.vision_tower.", "model.vision_adapter.", "model.vision_projection."));
    }

    @Override
    public DecoderSpec spec(ConfigNode config) {
        ConfigNode text = config.child("text_config").orElse(config);
        requireSupported(config, text);
        int hidden = text.positive("hidden_size");
        int layers = text.positive("num_hidden_layers");
        double eps = positive(text, "rms_norm_eps", NORM_EPS);
        NormRule pre = new NormRule(NormRule.Kind.CENTRED, eps);
        NormRule post = new NormRule(NormRule.Kind.CENTRED, positive(text, "post_norm_eps", POST_NORM_EPS));
        FeedForwardSpec feedForward = new FeedForwardSpec.SwiGlu(text.positive("intermediate_size"));
        List<Integer> windows = windows(text, layers);
        List<Double> thetas = thetas(text, layers);
        List<LayerSpec> specs = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            AttentionSpec attention = attention(text, windows.get(i), thetas.get(i), eps);
            specs.add(new LayerSpec(pre, attention, post, pre, feedForward, post));
        }
        double cap = text.number("final_logit_softcapping", text.hasKey("final_logit_softcapping") ? 0 : LOGIT_CAP);
        if (cap < 0) {
            throw text.wrong("final_logit_softcapping", "> 0 or null");
        }
        return new DecoderSpec(
                modelType(),
                text.positive("vocab_size"),
                hidden,
                text.positive("max_position_embeddings"),
                new NormRule(NormRule.Kind.WEIGHTLESS, eps),
                specs,
                new NormRule(NormRule.Kind.PLAIN_EARLY, eps),
                text.flag("tie_word_embeddings", config.flag("tie_word_embeddings", false)),
                text.number("output_multiplier", LOGIT_MULTIPLIER),
                cap);
    }

    private static AttentionSpec attention(ConfigNode text, int window, double theta, double eps) {
        int heads = text.positive("num_attention_heads");
        int kvHeads = text.positive("num_key_value_heads", heads);
        int headDim = text.positive("head_dim");
        if (heads % kvHeads != 0) {
            throw text.wrong("num_key_value_heads", "a divisor of num_attention_heads " + heads);
        }
        if (headDim % 2 != 0) {
            throw text.wrong("head_dim", "even");
        }
        NormRule norm = new NormRule(NormRule.Kind.WEIGHTLESS, eps);
        return new AttentionSpec(
                heads,
                kvHeads,
                headDim,
                window,
                1 / Math.sqrt(headDim),
                norm,
                norm,
                text.number("qk_scale_factor", QK_SCALE),
                theta > 0 ? new RopeSpec.Plain(theta) : new RopeSpec.None(),
                true,
                false,
                false);
    }

    /** Window per layer, 0 = full. Without a list every fourth layer, counted from the last, is full. */
    private static List<Integer> windows(ConfigNode text, int layers) {
        List<Integer> out = new ArrayList<>();
        if (!text.has("layer_types")) {
            int window = text.positive("sliding_window");
            for (int i = 0; i < layers; i++) {
                out.add(fullByDefault(i, layers) ? 0 : window);
            }
            return out;
        }
        List<String> types = text.texts("layer_types");
        requireLength(text, "layer_types", types.size(), layers);
        for (String type : types) {
            switch (type) {
                case "full_attention" -> out.add(0);
                case "sliding_attention" -> out.add(text.positive("sliding_window"));
                default -> throw text.wrong("layer_types", "of full_attention and sliding_attention");
            }
        }
        return out;
    }

    /** Rope theta per layer, 0 = no rotation; independent of the windows where the file has a list. */
    private static List<Double> thetas(ConfigNode text, int layers) {
        if (text.has("layer_rope_theta")) {
            List<Double> given = text.numbers("layer_rope_theta");
            requireLength(text, "layer_rope_theta", given.size(), layers);
            if (given.stream().anyMatch(t -> t < 0)) {
                throw text.wrong("layer_rope_theta", "a list of numbers >= 0");
            }
            return given;
        }
        double theta = theta(text);
        List<Double> out = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            out.add(fullByDefault(i, layers) ? 0.0 : theta);
        }
        return out;
    }

    private static double theta(ConfigNode text) {
        Optional<ConfigNode> rope = text.child("rope_parameters");
        if (rope.isPresent() && rope.get().has("rope_theta")) {
            return positive(rope.get(), "rope_theta", ROPE_THETA);
        }
        return positive(text, "rope_theta", ROPE_THETA);
    }

    private static boolean fullByDefault(int i, int layers) {
        return (layers - 1 - i) % 4 == 0;
    }

    private static void requireSupported(ConfigNode config, ConfigNode text) {
        if (config.has("quantization_config") || text.has("quantization_config")) {
            throw config.fault("quantization_config", "is not supported: not built yet");
        }
        if (!text.text("hidden_activation").orElse("silu").equals("silu")) {
            throw text.wrong("hidden_activation", "silu");
        }
        if (text.flag("attention_bias", false)) {
            throw text.wrong("attention_bias", "false");
        }
        for (String key : List.of("rope_parameters", "rope_scaling")) {
            Optional<ConfigNode> rope = text.child(key);
            String type = rope.flatMap(r -> r.text("rope_type").or(() -> r.text("type")))
                    .orElse("default");
            if (!type.equals("default")) {
                throw rope.orElseThrow().fault("rope_type", "must be default, got \"" + type + "\"");
            }
        }
    }

    private static void requireLength(ConfigNode text, String key, int got, int layers) {
        if (got != layers) {
            throw text.fault(key, "must have one entry per layer, " + layers + ", got " + got);
        }
    }

    private static double positive(ConfigNode node, String key, double otherwise) {
        double value = node.number(key, otherwise);
        if (value <= 0) {
            throw node.wrong(key, "> 0");
        }
        return value;
    }
}
