package rondo.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import rondo.base.Json;
import rondo.base.Shared;
import rondo.base.TimeSource;
import rondo.base.UserError;
import rondo.kv.LifeCycle;
import rondo.model.compute.ElementType;
import rondo.model.compute.scalar.ScalarDevice;
import tools.jackson.databind.node.ObjectNode;

class ModelLoaderTest {
    private static final String LAYER = "model.language_model.layers.0.";
    private static final SyntheticCheckpoint.Shape SHAPE =
            new SyntheticCheckpoint.Shape(64, 2, 4, 2, 16, 48, 64, false, 4, 512);

    /** A way to break a good checkpoint, and the one line that tells of it; {@code %s} = the directory. */
    enum Fault {
        NO_DIRECTORY("model: directory '%s' not found") {
            @Override
            void apply(Path model) throws IOException {
                for (Path file : files(model)) {
                    Files.delete(file);
                }
                Files.delete(model);
            }
        },
        NO_CONFIG("model: %s/config.json: not found") {
            @Override
            void apply(Path model) throws IOException {
                Files.delete(model.resolve("config.json"));
            }
        },
        CONFIG_NOT_JSON("model: %s/config.json: is not valid JSON: ") {
            @Override
            void apply(Path model) throws IOException {
                Files.writeString(model.resolve("config.json"), "{\"model_type\": \n");
            }
        },
        CONFIG_NOT_AN_OBJECT("model: %s/config.json: must hold a JSON object") {
            @Override
            void apply(Path model) throws IOException {
                Files.writeString(model.resolve("config.json"), "[]");
            }
        },
        UNKNOWN_ARCHITECTURE("model: %s/config.json: model_type 'mamba' is not supported; supported: muse_glimmer") {
            @Override
            void apply(Path model) throws IOException {
                Files.writeString(model.resolve("config.json"), "{\"model_type\": \"mamba\"}");
            }
        },
        NO_MODEL_TYPE("model: %s/config.json: model_type is missing; supported: muse_glimmer") {
            @Override
            void apply(Path model) throws IOException {
                Files.writeString(model.resolve("config.json"), "{}");
            }
        },
        UNKNOWN_DTYPE("model: %s/config.json: dtype must be float16, bfloat16 or float32, got \"int3\"") {
            @Override
            void apply(Path model) throws IOException {
                Path config = model.resolve("config.json");
                Files.writeString(config, Files.readString(config).replace("float32", "int3"));
            }
        },
        BAD_EOS("model: %s/generation_config.json: eos_token_id must be a token id or a list of them, got \"end\"") {
            @Override
            void apply(Path model) throws IOException {
                Files.writeString(model.resolve("generation_config.json"), "{\"eos_token_id\": \"end\"}");
            }
        },
        NO_WEIGHTS("model: %s: holds neither model.safetensors nor model.safetensors.index.json") {
            @Override
            void apply(Path model) throws IOException {
                Files.delete(weights(model));
            }
        },
        TRUNCATED("model: %s/model.safetensors: truncated: tensor ") {
            @Override
            void apply(Path model) throws IOException {
                byte[] bytes = Files.readAllBytes(weights(model));
                Files.write(weights(model), java.util.Arrays.copyOf(bytes, bytes.length - 1));
            }
        },
        MISSING("model: %s: 1 tensors missing: " + LAYER + "self_attn.gate_proj.weight") {
            @Override
            void apply(Path model) throws IOException {
                HeaderEdit.edit(
                        weights(model),
                        h -> HeaderEdit.rename(h, LAYER + "self_attn.gate_proj.weight", "model.vision_tower.x"));
            }
        },
        LEFT_OVER("model: %s: 1 tensors left over that no rule explains: model.audio_tower.x") {
            @Override
            void apply(Path model) throws IOException {
                HeaderEdit.edit(weights(model), h -> HeaderEdit.addEmpty(h, "model.audio_tower.x"));
            }
        },
        MANY_LEFT_OVER(
                "model: %s: 12 tensors left over that no rule explains: a, b, c, d, e, f, g, h, i, j and 2 more") {
            @Override
            void apply(Path model) throws IOException {
                HeaderEdit.edit(
                        weights(model),
                        h -> "abcdefghijkl".chars().forEach(c -> HeaderEdit.addEmpty(h, Character.toString(c))));
            }
        },
        WRONG_TYPE("model: %s/model.safetensors: tensor " + LAYER
                + "mlp.up_proj.weight: dtype must be F32, BF16 or F16, got I32") {
            @Override
            void apply(Path model) throws IOException {
                HeaderEdit.edit(
                        weights(model), h -> ((ObjectNode) h.get(LAYER + "mlp.up_proj.weight")).put("dtype", "I32"));
            }
        },
        WRONG_SHAPE("model: %s/model.safetensors: tensor " + LAYER
                + "mlp.up_proj.weight: shape must be [48, 64] by config.json, got [64, 48]") {
            @Override
            void apply(Path model) throws IOException {
                HeaderEdit.edit(
                        weights(model),
                        h -> ((ObjectNode) h.get(LAYER + "mlp.up_proj.weight"))
                                .putArray("shape")
                                .add(64)
                                .add(48));
            }
        },
        SHARDS_GONE(
                "model: %s/model.safetensors.index.json: names files that are not there: m-2.safetensors, m-3.safetensors") {
            @Override
            void apply(Path model) throws IOException {
                index(model, "{\"weight_map\": {\"a\": \"m-3.safetensors\", \"b\": \"m-2.safetensors\"}}");
            }
        },
        SHARD_OUTSIDE(
                "model: %s/model.safetensors.index.json: weight_map.a must be the name of a file beside the index") {
            @Override
            void apply(Path model) throws IOException {
                index(model, "{\"weight_map\": {\"a\": \"../model.safetensors\"}}");
            }
        },
        NO_WEIGHT_MAP("model: %s/model.safetensors.index.json: weight_map is missing") {
            @Override
            void apply(Path model) throws IOException {
                index(model, "{}");
            }
        },
        NOT_IN_ITS_SHARD(
                "model: %s/model.safetensors.index.json: names tensors that are not in their file: a (model.safetensors)") {
            @Override
            void apply(Path model) throws IOException {
                index(model, "{\"weight_map\": {\"a\": \"model.safetensors\"}}");
            }
        };

        private final String line;

        Fault(String line) {
            this.line = line;
        }

        abstract void apply(Path model) throws IOException;

        private static Path weights(Path model) {
            return model.resolve("model.safetensors");
        }

        private static void index(Path model, String json) throws IOException {
            Files.writeString(model.resolve("model.safetensors.index.json"), json);
        }

        private static List<Path> files(Path model) throws IOException {
            try (var files = Files.list(model)) {
                return files.toList();
            }
        }
    }

    @TempDir
    private Path directory;

    private Path model;

    @BeforeEach
    void writeGoodModel() {
        model = directory.resolve("model");
        SyntheticCheckpoint.write(model, SHAPE, ElementType.F32);
    }

    @ParameterizedTest
    @EnumSource
    void aFaultyCheckpointIsOneClearLine(Fault fault) throws IOException {
        fault.apply(model);
        assertThatThrownBy(() -> load(ModelOptions.defaults()))
                .isInstanceOf(UserError.class)
                .hasMessageStartingWith(fault.line.formatted(model))
                .hasMessageNotContaining("\n")
                .satisfies(e -> assertThat(((UserError) e).exitCode()).isEqualTo(UserError.MODEL));
    }

    @Test
    void aHubNameIsToldToBeOne() {
        assertThatThrownBy(() -> ModelLoader.inspect(Path.of("meta/Glimmer-30B"), ModelOptions.defaults()))
                .isInstanceOf(UserError.class)
                .hasMessage(
                        "model: must be a local directory, got 'meta/Glimmer-30B' (nothing is downloaded from a hub)");
    }

    @Test
    void aFileIsNoModel() {
        Path file = model.resolve("config.json");
        assertThatThrownBy(() -> ModelLoader.inspect(file, ModelOptions.defaults()))
                .hasMessage("model: must be a directory, got the file '" + file + "'");
    }

    @Test
    void theBundledModelsVisionTensorsAreSkippedByRule() {
        Path bundled = Shared.root().resolve("models/glimmer-mini");
        Inspection seen = ModelLoader.inspect(bundled, ModelOptions.defaults());
        assertThat(seen.ledger().line())
                .isEqualTo("weights: 99 consumed, 41 skipped (rule no_encoder), 0 missing, 0 left over");
        assertThat(seen.parameters()).isEqualTo(9_707_776);
        assertThat(seen.generation().eos()).containsExactly(4036, 4033);
        assertThat(seen.generation().doSample()).isFalse();
        assertThat(seen.dtype()).isEqualTo(DType.BFLOAT16);
        ModelOptions disabled = ModelOptions.defaults().withDisableMmEncoder(true);
        assertThat(ModelLoader.inspect(bundled, disabled).ledger().line())
                .isEqualTo("weights: 99 consumed, 41 skipped (rule disable_mm_encoder), 0 missing, 0 left over");
    }

    @Test
    void aTiedHeadAndRotationBuffersAreSkippedByTheirRules() throws IOException {
        SyntheticCheckpoint.Shape tied = new SyntheticCheckpoint.Shape(64, 2, 4, 2, 16, 48, 64, true, 4, 512);
        SyntheticCheckpoint.write(model, tied, ElementType.BF16);
        HeaderEdit.edit(model.resolve("model.safetensors"), h -> {
            HeaderEdit.addEmpty(h, "lm_head.weight");
            HeaderEdit.addEmpty(h, LAYER + "self_attn.rotary_emb.inv_freq");
        });
        try (var executor = load(ModelOptions.defaults()).executor()) {
            assertThat(executor.model().vocabulary()).isEqualTo(64);
        }
        assertThat(ModelLoader.inspect(model, ModelOptions.defaults()).ledger().line())
                .isEqualTo(
                        "weights: 26 consumed, 2 skipped (rules rotary_inv_freq, tied_head), 0 missing, 0 left over");
    }

    @Test
    void shardsAreOneModel() throws IOException {
        Path single = model.resolve("model.safetensors");
        Path second = model.resolve("m-2.safetensors");
        Files.copy(single, second);
        // The first shard's head belongs to the second, whose other tensors are cut off.
        byte[] all = Files.readAllBytes(second);
        int[] bytes = new int[1];
        HeaderEdit.edit(second, h -> {
            bytes[0] = h.get("lm_head.weight").get("data_offsets").get(1).intValue();
            h.retain("lm_head.weight");
        });
        byte[] cut = Files.readAllBytes(second);
        int header = (int) java.nio.ByteBuffer.wrap(cut)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                .getLong(0);
        Files.write(second, java.util.Arrays.copyOf(cut, 8 + header + bytes[0]));
        assertThat(all.length).isGreaterThan(cut.length);
        ObjectNode index = Json.mapper().createObjectNode();
        ObjectNode map = index.putObject("weight_map");
        HeaderEdit.edit(single, h -> {
            h.propertyNames().forEach(name -> map.put(name, "model.safetensors"));
            HeaderEdit.rename(h, "lm_head.weight", "model.vision_tower.x");
            map.put("lm_head.weight", "m-2.safetensors").put("model.vision_tower.x", "model.safetensors");
        });
        Files.writeString(model.resolve("model.safetensors.index.json"), index.toString());
        Inspection seen = ModelLoader.inspect(model, ModelOptions.defaults());
        assertThat(seen.ledger().balanced()).isTrue();
        assertThat(seen.ledger().consumed()).hasSize(27);
        load(ModelOptions.defaults()).executor().close();
    }

    /** R094: all end tokens count. */
    @Test
    void endTokensMayBeOneOrAListAndComeFromTheConfigurationWhereTheFileIsSilent() throws IOException {
        Path file = model.resolve("generation_config.json");
        Files.writeString(file, "{\"eos_token_id\": [5, 6], \"temperature\": 0.7, \"top_p\": 0.9, \"top_k\": 40}");
        var generation = ModelLoader.inspect(model, ModelOptions.defaults()).generation();
        assertThat(generation.eos()).containsExactly(5, 6);
        assertThat(generation.temperature()).isEqualTo(OptionalDouble.of(0.7));
        assertThat(generation.topP()).isEqualTo(OptionalDouble.of(0.9));
        assertThat(generation.topK()).isEqualTo(OptionalInt.of(40));
        assertThat(generation.repetitionPenalty()).isEmpty();
        Files.writeString(file, "{\"eos_token_id\": 5}");
        assertThat(ModelLoader.inspect(model, ModelOptions.defaults())
                        .generation()
                        .eos())
                .containsExactly(5);
        Files.delete(file);
        Path config = model.resolve("config.json");
        Files.writeString(
                config,
                Files.readString(config)
                        .replace(
                                "\"model_type\" : \"muse_glimmer\"",
                                "\"model_type\" : \"muse_glimmer\", \"eos_token_id\": [9]"));
        assertThat(ModelLoader.inspect(model, ModelOptions.defaults())
                        .generation()
                        .eos())
                .containsExactly(9);
    }

    @Test
    void theKvTypeFollowsTheDtypeUnlessItIsGiven() throws IOException {
        Path config = model.resolve("config.json");
        Files.writeString(config, Files.readString(config).replace("\"dtype\"", "\"torch_dtype\""));
        assertThat(load(ModelOptions.defaults()).kvDtype()).isEqualTo(DType.FLOAT32);
        assertThat(load(new ModelOptions(DType.FLOAT16, DType.AUTO, 32, false, List.of(), 0))
                        .kvDtype())
                .isEqualTo(DType.FLOAT16);
        assertThat(load(ModelOptions.defaults().withKvDtype(DType.BFLOAT16)).kvDtype())
                .isEqualTo(DType.BFLOAT16);
    }

    @Test
    void lifeCyclesComeInTheOrderInWhichLayersShowThem() {
        SyntheticCheckpoint.Shape shape = new SyntheticCheckpoint.Shape(64, 8, 4, 2, 16, 48, 64, false, 4, 512);
        SyntheticCheckpoint.write(model, shape, ElementType.BF16);
        var facts =
                load(ModelOptions.defaults().withTokensPerBlock(8)).executor().model();
        assertThat(facts.maxLength()).isEqualTo(512);
        assertThat(facts.layout().lifeCycles()).containsExactly(LifeCycle.sliding(4), LifeCycle.full());
        // layers × (K, V) × tokens × KV heads × head dimension × bytes
        assertThat(facts.layout().pageBytes()).containsExactly(6L * 2 * 8 * 2 * 16 * 2, 2L * 2 * 8 * 2 * 16 * 2);
    }

    private LoadedModel load(ModelOptions options) {
        return ModelLoader.load(model, options, new ScalarDevice(), TimeSource.system());
    }
}
