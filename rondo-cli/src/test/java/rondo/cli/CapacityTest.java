package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.Json;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code rondo serve --print_capacity} and {@code --check}: what fits where, told by {@code config.json} alone. */
class CapacityTest {
    private static final long GIB = 1L << 30;

    @TempDir
    Path directory;

    private Path muse;

    /** The released 30B model as far as {@code config.json} goes; no weights are there. */
    @BeforeEach
    void museGlimmer() throws IOException {
        muse = Files.createDirectories(directory.resolve("muse-glimmer-30b"));
        ObjectNode root = Json.mapper().createObjectNode();
        root.put("model_type", "muse_glimmer").put("dtype", "bfloat16");
        root.putObject("text_config")
                .put("vocab_size", 202_048)
                .put("hidden_size", 6656)
                .put("intermediate_size", 19_968)
                .put("num_hidden_layers", 52)
                .put("num_attention_heads", 32)
                .put("num_key_value_heads", 2)
                .put("head_dim", 128)
                .put("sliding_window", 2048)
                .put("max_position_embeddings", 131_072);
        Files.writeString(muse.resolve("config.json"), root.toString());
    }

    private Path yaml(String text) throws IOException {
        return Files.writeString(directory.resolve("serve.yaml"), text);
    }

    private CommandRun run(Path model, String yaml, String... more) throws IOException {
        List<String> args = new ArrayList<>(
                List.of("serve", model.toString(), "--config", yaml(yaml).toString()));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private JsonNode capacity(Path model, String yaml, String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of("--print_capacity", "--json"));
        args.addAll(List.of(more));
        CommandRun run = run(model, yaml, args.toArray(String[]::new));
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        return Json.mapper().readTree(run.out());
    }

    private static List<Integer> ints(JsonNode rows, String field) {
        List<Integer> out = new ArrayList<>();
        rows.forEach(row -> out.add(row.path(field).intValue()));
        return out;
    }

    /** kv-cache.md §9.1, last example: 8 GiB for Muse Glimmer 30B. */
    @Test
    void museGlimmerInEightGibibytesIsTheWorkedExample() throws IOException {
        String eight = "kv_cache_config: {max_gpu_total_bytes: 8GiB}\nrondo: {allow_longer_than_model: true}\n";
        JsonNode model = capacity(muse, eight, "--gpu_memory", "141GB");
        assertThat(model.at("/max_seq_len").intValue()).isEqualTo(131_072);
        assertThat(model.at("/max_seq_len_from").asString()).isEqualTo("max_position_embeddings of the model");
        assertThat(model.at("/memory/kv_device_bytes").longValue()).isEqualTo(8 * GIB);
        assertThat(model.at("/memory/kv_device_bytes_from").asString())
                .isEqualTo("kv_cache_config.max_gpu_total_bytes");
        assertThat(ints(model.at("/pools"), "page_bytes")).containsExactly(1_277_952, 425_984);
        assertThat(ints(model.at("/pools"), "window")).containsExactly(2048, 0);
        // 52 layers: about 30 billion parameters, in bf16.
        assertThat(model.at("/memory/weight_bytes").longValue())
                .isEqualTo(2 * model.at("/model/parameters").longValue());
        assertThat(model.at("/model/parameters").longValue()).isBetween(27_000_000_000L, 31_000_000_000L);

        JsonNode longest = capacity(muse, "max_seq_len: 638_624\n" + eight, "--gpu_memory", "141GB");
        assertThat(longest.at("/max_seq_len").intValue()).isEqualTo(638_624);
        // Exactly one of the longest: 68 sliding slots, 19,960 full ones, scratch among them.
        assertThat(ints(longest.at("/pools"), "device_slots")).containsExactly(68, 19_960);
        assertThat(ints(longest.at("/pools"), "device_pages")).containsExactly(67, 19_959);
        assertThat(ints(longest.at("/sessions"), "tokens")).containsExactly(4096, 32_768, 100_000, 200_000, 638_624);
        assertThat(ints(longest.at("/sessions"), "running")).containsExactly(1, 1, 1, 1, 1);

        CommandRun tooLong = run(muse, "max_seq_len: 1048576\n" + eight, "--print_capacity", "--gpu_memory", "141GB");
        assertThat(tooLong.code()).isEqualTo(UserError.USAGE);
        assertThat(tooLong.out()).isEmpty();
        assertThat(tooLong.err().lines())
                .first()
                .isEqualTo("config: max_seq_len must be <= 638624 (KV cache of 8.0 GiB holds no longer sequence), got"
                        + " 1048576 (" + directory.resolve("serve.yaml") + ":1)");
        assertThat(tooLong.err()).contains("one sequence of 1048576 tokens takes 14046822400 bytes");
    }

    /** The same without a limit of the model's: half of the memory bounds the effective length. */
    @Test
    void withoutMaxSeqLenHalfOfTheMemoryBoundsIt() throws IOException {
        ObjectNode root = (ObjectNode) Json.mapper().readTree(Files.readString(muse.resolve("config.json")));
        ((ObjectNode) root.path("text_config")).put("max_position_embeddings", 1 << 20);
        Files.writeString(muse.resolve("config.json"), root.toString());
        JsonNode plan =
                capacity(muse, "kv_cache_config: {max_gpu_total_bytes: 8GiB}\n", "--device_memory", "151397597184");
        assertThat(plan.at("/max_seq_len").intValue()).isEqualTo(316_000);
        assertThat(plan.at("/max_seq_len_from").asString())
                .isEqualTo("half of the KV cache of 8.0 GiB holds no longer sequence");
        assertThat(plan.at("/hints").toString()).contains("given explicitly it may be as long as all of it");
    }

    /** kv-cache.md §9.1, first example: blocks of 4, Sliding(8) with 192-byte pages, full with 64-byte pages. */
    @Test
    void theSmallWorkedExampleToThePage() throws IOException {
        Path small = Files.createDirectories(directory.resolve("small"));
        ObjectNode root = Json.mapper().createObjectNode();
        root.put("model_type", "muse_glimmer").put("dtype", "float16");
        ObjectNode text = root.putObject("text_config");
        text.put("vocab_size", 64)
                .put("hidden_size", 8)
                .put("intermediate_size", 16)
                .put("num_hidden_layers", 8)
                .put("num_attention_heads", 2)
                .put("num_key_value_heads", 1)
                .put("head_dim", 2)
                .put("sliding_window", 8)
                .put("max_position_embeddings", 512);
        // Two bytes, K and V, 4 tokens, 1 head of 2: 32 bytes per layer; 6 sliding and 2 full layers.
        var types = text.putArray("layer_types");
        for (int i = 0; i < 8; i++) {
            types.add(i % 4 == 3 ? "full_attention" : "sliding_attention");
        }
        Files.writeString(small.resolve("config.json"), root.toString());
        String yaml = """
                max_seq_len: 40
                max_batch_size: 4
                max_num_tokens: 16
                kv_cache_config:
                  tokens_per_block: 4
                  max_tokens: 100
                  pool_ratio: [0.25, 0.75]
                  host_cache_size: %d
                  block_reuse_config: {swa_endpoint_rewind_tokens: 0}
                """;
        JsonNode plan = capacity(small, yaml.formatted(0), "--device_memory", "1GiB");
        assertThat(ints(plan.at("/pools"), "page_bytes")).containsExactly(192, 64);
        assertThat(plan.at("/memory/kv_device_bytes").longValue()).isEqualTo(6400);
        assertThat(plan.at("/memory/kv_device_bytes_from").asString()).isEqualTo("kv_cache_config.max_tokens");
        assertThat(ints(plan.at("/pools"), "device_slots")).containsExactly(11, 64);
        assertThat(ints(plan.at("/pools"), "device_pages")).containsExactly(10, 63);
        assertThat(ints(plan.at("/pools"), "device_tokens")).containsExactly(40, 252);
        assertThat(ints(plan.at("/pools"), "host_pages")).containsExactly(0, 0);
        // A session of 40 tokens: 3 window pages and 10 full ones, beside 3 slots that nobody counts on.
        assertThat(ints(plan.at("/sessions"), "tokens")).containsExactly(40);
        assertThat(ints(plan.at("/sessions"), "device_bytes")).containsExactly(3 * 192 + 10 * 64);
        assertThat(ints(plan.at("/sessions"), "running")).containsExactly(2); // min(8 / 3, 61 / 10)
        assertThat(ints(plan.at("/sessions"), "kept_with_host")).containsExactly(2);

        // Twice the device's pages on the host: 20 and 126 more.
        JsonNode host = capacity(small, yaml.formatted(2 * (10 * 192 + 63 * 64)), "--device_memory", "1GiB");
        assertThat(ints(host.at("/pools"), "host_pages")).containsExactly(20, 126);
        assertThat(ints(host.at("/pools"), "host_tokens")).containsExactly(80, 504);
        assertThat(ints(host.at("/sessions"), "running")).containsExactly(2);
        assertThat(ints(host.at("/sessions"), "kept")).containsExactly(2);
        assertThat(ints(host.at("/sessions"), "kept_with_host")).containsExactly(9); // min(28 / 3, 187 / 10)
        assertThat(ints(host.at("/sessions"), "kept_bound_by_pool")).containsExactly(0);
    }

    /** kv-cache.md §7.4 and §9.2: 160 GiB of host with the shares 0.085 and 0.915. */
    @Test
    void theHostTierHoldsWhatThePageOfTheCacheSays() throws IOException {
        JsonNode plan = capacity(muse, """
                max_seq_len: 1_048_576
                max_num_tokens: 8192
                max_batch_size: 48
                kv_cache_config:
                  free_gpu_memory_fraction: 0.8
                  host_cache_size: 160GiB
                  pool_ratio: [0.085, 0.915]
                  block_reuse_config: {swa_endpoint_rewind_tokens: 1024}
                rondo: {allow_longer_than_model: true}
                """, "--gpu_memory", "400GiB");
        assertThat(plan.at("/memory/kv_host_bytes").longValue()).isEqualTo(160 * GIB);
        assertThat(plan.at("/pools/0/host_pages").intValue()).isBetween(10_500, 11_500);
        assertThat(plan.at("/pools/1/host_tokens").longValue()).isBetween(11_700_000L, 12_000_000L);
        JsonNode row = plan.at("/sessions/2");
        assertThat(row.path("tokens").intValue()).isEqualTo(100_000);
        // 3,125 full pages and a whole window of 65.
        assertThat(row.path("device_bytes").longValue()).isEqualTo(3125 * 425_984L + 65 * 1_277_952L);
        assertThat(row.path("kept_with_host").intValue())
                .isGreaterThan(row.path("kept").intValue());
    }

    @Test
    void thePageForPeopleSaysTheSame() throws IOException {
        CommandRun run = run(
                muse,
                "max_batch_size: 48\nkv_cache_config: {max_gpu_total_bytes: 40GiB, host_cache_size: 64GiB}\n",
                "--print_capacity",
                "--gpu-memory",
                "141GB");
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains("muse_glimmer, 52 layers (13 full, 39 sliding), weights ")
                .contains("141.0 GiB of the device")
                .contains(
                        "40.0 GiB on the device (kv_cache_config.max_gpu_total_bytes), 64.0 GiB on the host, bfloat16,"
                                + " blocks of 32 tokens")
                .contains("max_seq_len 131072 (max_position_embeddings of the model)")
                .contains("131072 (max)")
                .contains("max_batch_size=48 sessions run at once");
        assertThat(run.out().lines()).allMatch(line -> line.length() <= 160);
    }

    @Test
    void weightsThatDoNotFitAreOneClearLine() throws IOException {
        CommandRun run = run(muse, "", "--print_capacity", "--gpu_memory", "40GiB");
        assertThat(run.code()).isEqualTo(UserError.MEMORY);
        assertThat(run.onlyLine())
                .startsWith("memory: weights of 5")
                .endsWith("do not fit into 40.0 GiB (--device_memory)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --json                                  | --json goes with --print_capacity
            --device_memory 40GiB                   | --device_memory goes with --check or --print_capacity
            --print_capacity --gpu_memory lots      | --device_memory must be a number of bytes (an integer, or like '141GB'), got 'lots'
            --print_capacity --gpu_memory 0         | --device_memory must be a number of bytes (an integer, or like '141GB'), got '0'
            """)
    void wrongUseIsOneClearLine(String flags, String message) {
        List<String> args = new ArrayList<>(List.of("serve", muse.toString()));
        args.addAll(List.of(flags.split(" ", -1)));
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertThat(run.code()).isEqualTo(UserError.USAGE);
        assertThat(run.onlyLine()).isEqualTo("rondo serve: " + message + "; see 'rondo serve --help'");
    }

    @Test
    void aCheckWithAModelTellsAllThatDoesNotFitTogether() throws IOException {
        CommandRun run = run(muse, """
                max_seq_len: 200_000
                kv_cache_config:
                  pool_ratio: [1.0]
                  host_cache_size: 4000TiB
                rondo: {cpu_kv_base: 4000TiB}
                """, "--check", "--gpu_memory", "141GB");
        String file = directory.resolve("serve.yaml").toString();
        assertThat(run.code()).isEqualTo(UserError.USAGE);
        assertThat(run.out()).isEmpty();
        // The machine's own memory is not asked where a device is planned for.
        assertThat(run.err().lines())
                .containsExactly(
                        "config: max_seq_len must be <= 131072 (max_position_embeddings of the model;"
                                + " rondo.allow_longer_than_model lifts it), got 200000 (" + file + ":1)",
                        "config: kv_cache_config.pool_ratio must be a list of 2 numbers (one per life cycle), got [1]"
                                + " (" + file + ":3)");
    }

    @Test
    void aCheckPrintsTheEffectiveLengthAndWhereItComesFrom() throws IOException {
        CommandRun run = run(muse, "", "--check", "--gpu_memory", "141GB");
        assertThat(run.code()).isZero();
        assertThat(run.out().lines())
                .anyMatch(line -> line.startsWith("max_seq_len: 131072 ")
                        && line.endsWith("# config.json: max_position_embeddings of the model"));
        CommandRun none = CommandRun.of("serve", "--check");
        assertThat(none.code()).isZero();
        assertThat(none.out().lines()).anyMatch(line -> line.startsWith("max_seq_len: null "));
    }

    @Test
    void anotherWindowPerLayerMakesOtherPools() throws IOException {
        JsonNode plan = capacity(muse, """
                max_seq_len: 100_000
                kv_cache_config: {max_gpu_total_bytes: 40GiB, max_attention_window: [4096, 4096, 100000]}
                """, "--gpu_memory", "141GB");
        assertThat(ints(plan.at("/pools"), "window")).containsExactly(4096, 0);
        // Layers 2, 5, …, 50 see everything: 17 of 52.
        assertThat(ints(plan.at("/pools"), "page_bytes")).containsExactly(35 * 32_768, 17 * 32_768);
    }
}
