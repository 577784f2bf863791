package rondo.model.arch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.UserError;
import rondo.model.checkpoint.ConfigNode;

/** The configuration of Muse Glimmer 30B as data, with the numbers of models.md §1. */
class MuseGlimmerTest {
    private static final String THIRTY_B = """
            {"architectures": ["MuseGlimmerForConditionalGeneration"], "model_type": "muse_glimmer", "dtype": "bfloat16",
             "eos_token_id": [200001, 200008], "vision_config": {"hidden_size": 1280},
             "text_config": {"model_type": "muse_glimmer_text", "vocab_size": 202048, "hidden_size": 6656,
              "intermediate_size": 19968, "num_hidden_layers": 52, "num_attention_heads": 32, "num_key_value_heads": 2,
              "head_dim": 128, "rms_norm_eps": 1e-5, "post_norm_eps": 1e-8, "hidden_activation": "silu",
              "attention_bias": false, "sliding_window": 2048, "final_logit_softcapping": 20.0, "qk_scale_factor": 3.87,
              "rope_parameters": {"rope_type": "default", "rope_theta": 500000},
              "output_multiplier": 0.19611613513818404, "max_position_embeddings": 131072,
              "tie_word_embeddings": false}}
            """;

    @TempDir
    private Path directory;

    private final MuseGlimmer architecture = new MuseGlimmer();
    private Path file;

    @BeforeEach
    void chooseFile() {
        file = directory.resolve("config.json");
    }

    @Test
    void thirtyBillionIsExpressibleWithDefaultLayerLists() throws IOException {
        DecoderSpec spec = spec(THIRTY_B);
        List<Integer> full = java.util.stream.IntStream.range(0, 52)
                .filter(i -> spec.layers().get(i).attention().window() == 0)
                .boxed()
                .toList();
        assertThat(full).containsExactly(3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47, 51);
        for (int i = 0; i < 52; i++) {
            AttentionSpec attention = spec.layers().get(i).attention();
            boolean isFull = full.contains(i);
            assertThat(attention.window()).isEqualTo(isFull ? 0 : 2048);
            assertThat(attention.rope()).isEqualTo(isFull ? new RopeSpec.None() : new RopeSpec.Plain(500_000));
            assertThat(attention.scale()).isEqualTo(1 / Math.sqrt(128));
            assertThat(attention.queryScale()).isEqualTo(3.87);
        }
        assertThat(spec.logitMultiplier()).isEqualTo(0.19611613513818404);
        assertThat(spec.logitCap()).isEqualTo(20);
        assertThat(spec.layers().getFirst().attentionPostNorm()).isEqualTo(new NormRule(NormRule.Kind.CENTRED, 1e-8));
        assertThat(spec.finalNorm()).isEqualTo(new NormRule(NormRule.Kind.PLAIN_EARLY, 1e-5));
    }

    @Test
    void thirtyBillionWantsItsTensorsAndParameters() throws IOException {
        List<TensorTable.Wanted> wanted = architecture.tensors().wanted(spec(THIRTY_B));
        assertThat(wanted).hasSize(627);
        assertThat(wanted.stream().mapToLong(TensorTable.Wanted::elements).sum())
                .isEqualTo(27_854_780_928L);
        assertThat(wanted.stream()
                        .filter(w -> w.name().startsWith("model.language_model.layers.51."))
                        .mapToLong(TensorTable.Wanted::elements)
                        .sum())
                .isEqualTo(483_944_448L);
        assertThat(wanted)
                .contains(
                        new TensorTable.Wanted("model.language_model.layers.7.self_attn.gate_proj.weight", 4096, 6656),
                        new TensorTable.Wanted("lm_head.weight", 202_048, 6656));
    }

    @Test
    void masksAndRotationAreIndependentLists() throws IOException {
        DecoderSpec spec = spec(small("""
                , "layer_types": ["full_attention", "sliding_attention"], "layer_rope_theta": [10000.0, 0]"""));
        assertThat(spec.layers().get(0).attention().window()).isZero();
        assertThat(spec.layers().get(0).attention().rope()).isEqualTo(new RopeSpec.Plain(10_000));
        assertThat(spec.layers().get(1).attention().window()).isEqualTo(16);
        assertThat(spec.layers().get(1).attention().rope()).isEqualTo(new RopeSpec.None());
    }

    @Test
    void newerRopeParametersWinOverTheOlderTheta() throws IOException {
        assertThat(theta(small(", \"rope_theta\": 7.0"))).isEqualTo(7);
        assertThat(theta(small(", \"rope_theta\": 7.0, \"rope_parameters\": {\"rope_theta\": 9.0}")))
                .isEqualTo(9);
        assertThat(theta(small(""))).isEqualTo(500_000);
    }

    @Test
    void aNullCapIsNone() throws IOException {
        assertThat(spec(small(", \"final_logit_softcapping\": null")).logitCap())
                .isZero();
        assertThat(spec(small("")).logitCap()).isEqualTo(20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                ", \"layer_types\": [\"full_attention\"]|text_config.layer_types must have one entry per layer, 2, got 1",
                ", \"layer_types\": [\"full_attention\", \"odd\"]|text_config.layer_types must be of full_attention and",
                ", \"layer_rope_theta\": [1, -1]|text_config.layer_rope_theta must be a list of numbers >= 0, got [1,-1]",
                ", \"hidden_activation\": \"gelu\"|text_config.hidden_activation must be silu, got \"gelu\"",
                ", \"attention_bias\": true|text_config.attention_bias must be false, got true",
                ", \"rope_parameters\": {\"rope_type\": \"yarn\"}|text_config.rope_parameters.rope_type must be default",
                ", \"quantization_config\": {}|quantization_config is not supported: not built yet",
                ", \"rms_norm_eps\": 0|text_config.rms_norm_eps must be > 0, got 0",
                ", \"num_key_value_heads\": 3|text_config.num_key_value_heads must be a divisor of num_attention_heads 4",
                ", \"head_dim\": 15|text_config.head_dim must be even, got 15",
                ", \"vocab_size\": \"many\"|text_config.vocab_size must be a whole number >= 1, got \"many\"",
                ", \"vocab_size\": null|text_config.vocab_size is missing",
            })
    void whatItCannotExpressIsOneLineThatNamesTheKey(String extra, String message) {
        assertThatThrownBy(() -> spec(small(extra)))
                .isInstanceOf(UserError.class)
                .hasMessageStartingWith("model: " + file + ": " + message)
                .hasMessageNotContaining("\n");
    }

    private double theta(String json) throws IOException {
        return ((RopeSpec.Plain) spec(json).layers().getFirst().attention().rope()).theta();
    }

    private DecoderSpec spec(String json) throws IOException {
        Files.writeString(file, json);
        return architecture.spec(ConfigNode.read(file));
    }

    /** Two layers, the second full; {@code extra} keys come last and win. */
    private static String small(String extra) {
        return """
               {"model_type": "muse_glimmer", "text_config": {"vocab_size": 64, "hidden_size": 64, "intermediate_size": 48,
                "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
                "sliding_window": 16, "max_position_embeddings": 512%s}}
               """.formatted(extra);
    }
}
