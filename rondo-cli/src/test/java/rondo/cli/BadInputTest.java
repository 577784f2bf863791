package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.Json;
import rondo.base.Shared;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;

/** Whatever a person gives that cannot work is told in one clear line with the right exit code. */
@Timeout(60)
class BadInputTest {
    private static final Path BUNDLED = Shared.root().resolve("models/glimmer-mini");

    @TempDir
    Path directory;

    private final Leftovers before = Leftovers.now();

    /** A start that failed half-way has ended what it had begun. */
    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        before.awaitNoMore();
    }

    /** The bundled model, its files to be spoiled. */
    private Path model() throws IOException {
        Path copy = Files.createDirectory(directory.resolve("model"));
        try (Stream<Path> files = Files.list(BUNDLED)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        return copy;
    }

    private String refused(int code, String... args) {
        CommandRun run = CommandRun.of(args);
        assertThat(run.err()).isNotEmpty();
        assertThat(run.code()).as(run.err()).isEqualTo(code);
        return run.onlyLine();
    }

    private String serveRefused(int code, Path model, String... more) {
        List<String> args = Stream.concat(Stream.of("serve", model.toString(), "--port", "0"), Arrays.stream(more))
                .toList();
        return refused(code, args.toArray(new String[0]));
    }

    private Path cut(Path file, long length) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, (int) length));
        return file;
    }

    private static void replace(Path file, String old, String with) throws IOException {
        String text = Files.readString(file);
        assertThat(text).contains(old);
        Files.writeString(file, text.replace(old, with));
    }

    @Test
    void aModelDirectoryThatIsNotThere() {
        Path gone = directory.resolve("gone");
        assertThat(serveRefused(UserError.MODEL, gone))
                .isEqualTo("model: MODEL must be a local directory, got '" + gone + "'");
    }

    @Test
    void aNameOnAHub() {
        assertThat(refused(UserError.MODEL, "serve", "meta-llama/Llama-3.2-1B"))
                .isEqualTo("model: MODEL must be a local directory, got 'meta-llama/Llama-3.2-1B'");
    }

    @Test
    void aDirectoryThatHoldsNoModel() throws IOException {
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertThat(serveRefused(UserError.MODEL, empty))
                .isEqualTo("model: " + empty.resolve("config.json") + ": not found");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            4        | truncated: 4 bytes, but a safetensors file starts with 8 bytes of length
            1000     | truncated: the header is 16896 bytes long, but only 992 bytes follow
            19000000 | truncated: tensor model.language_model.layers.7.self_attn.o_proj.weight ends at byte 19087360 of the data, but only 18983096 bytes are there
            19603591 | truncated: tensor model.vision_tower.patch_embedder.position_embedding_table.weight ends at byte 19586688 of the data, but only 19586687 bytes are there
            """)
    void weightsThatAreCutOff(long length, String what) throws IOException {
        Path model = model();
        Path weights = cut(model.resolve("model.safetensors"), length);
        assertThat(serveRefused(UserError.MODEL, model)).isEqualTo("model: " + weights + ": " + what);
    }

    @Test
    void weightsThatAreNotThere() throws IOException {
        Path model = model();
        Files.delete(model.resolve("model.safetensors"));
        assertThat(serveRefused(UserError.MODEL, model))
                .isEqualTo("model: " + model + ": holds neither model.safetensors nor model.safetensors.index.json");
    }

    @Test
    void anArchitectureThatNobodyKnows() throws IOException {
        Path model = model();
        replace(model.resolve("config.json"), "\"muse_glimmer\"", "\"llava\"");
        assertThat(serveRefused(UserError.MODEL, model))
                .isEqualTo("model: " + model.resolve("config.json")
                        + ": model_type 'llava' is not supported; supported: muse_glimmer");
    }

    @Test
    void aTokenizerThatIsCutOff() throws IOException {
        Path model = model();
        cut(model.resolve("tokenizer.json"), 100_000);
        assertThat(serveRefused(UserError.MODEL, model))
                .startsWith("model: " + model.resolve("tokenizer.json") + " is not valid JSON (line ")
                .contains("Unexpected end-of-input");
    }

    @Test
    void aTokenizerThatIsSomethingElse() throws IOException {
        Path model = model();
        Files.writeString(model.resolve("tokenizer.json"), "{\"version\":\"1.0\",\"model\":{\"type\":\"Nope\"}}");
        assertThat(serveRefused(UserError.MODEL, model))
                .isEqualTo("model: " + model.resolve("tokenizer.json") + " is not a tokenizer: it has no model.vocab");
    }

    @Test
    void aModelWithoutAChatTemplate() throws IOException {
        Path model = model();
        Files.delete(model.resolve("chat_template.jinja"));
        assertThat(serveRefused(UserError.MODEL, model))
                .isEqualTo(
                        "model: " + model
                                + " has no chat template (chat_template.jinja or tokenizer_config.json); give one with --chat_template");
    }

    @Test
    void aChatTemplateThatIsWrong() throws IOException {
        Path model = model();
        Files.writeString(
                model.resolve("chat_template.jinja"), "{% for m in messages %}\n{{ m.content }\n{% endfor %}");
        assertThat(serveRefused(UserError.MODEL, model))
                .isEqualTo("model: " + model.resolve("chat_template.jinja") + ": chat template line 2: unexpected '}'");
    }

    @Test
    void aPortThatIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            String port = String.valueOf(taken.getLocalPort());
            assertThat(refused(UserError.PORT, "serve", BUNDLED.toString(), "--port", port))
                    .isEqualTo(
                            "cannot listen on localhost:" + port + ": the port is in use, choose another with --port");
        }
    }

    @Test
    void anAddressThatIsNotOurs() {
        assertThat(serveRefused(UserError.PORT, BUNDLED, "--host", "192.0.2.1"))
                .isEqualTo(
                        "cannot listen on 192.0.2.1:0: the address is none of this machine's, choose another with --host");
    }

    @Test
    void aSequenceTooLongForItsPools() throws IOException {
        Path yaml = Files.writeString(
                directory.resolve("serve.yaml"), "max_seq_len: 2048\nkv_cache_config:\n  max_tokens: 512\n");
        assertThat(serveRefused(UserError.USAGE, BUNDLED, "--config", yaml.toString()))
                .isEqualTo(
                        "config: max_seq_len must be <= 800 (KV cache of 2.0 MiB holds no longer sequence), got 2048 ("
                                + yaml + ":1)");
    }

    @Test
    void aSequenceLongerThanTheModelReads() {
        assertThat(serveRefused(UserError.USAGE, BUNDLED, "--max_seq_len", "1000000"))
                .isEqualTo(
                        "config: max_seq_len must be <= 131072 (max_position_embeddings of the model; rondo.allow_longer_than_model lifts it), got 1000000 (--max_seq_len)");
    }

    /** What only the model can tell is told with all else, in the order of the lines. */
    @Test
    void allThatIsWrongAtOnce() throws IOException {
        Path yaml = Files.writeString(directory.resolve("serve.yaml"), """
                kv_cache_config:
                  pool_ratio: [0.2, 0.3, 0.5]
                max_batch_sise: 3
                max_seq_len: 99999999
                rondo: {cpu_threads: 100000}
                """);
        CommandRun run =
                CommandRun.of("serve", BUNDLED.toString(), "--config", yaml.toString(), "--max_num_tokens", "0");
        assertThat(run.code()).isEqualTo(UserError.USAGE);
        assertThat(run.err().replace(yaml.toString(), "FILE").lines())
                .containsExactly(
                        "config: kv_cache_config.pool_ratio must be a list of 2 numbers (one per life cycle), got [0.2, 0.3, 0.5] (FILE:2)",
                        "config: max_batch_sise is not a known key (FILE:3); did you mean 'max_batch_size'?",
                        "config: max_seq_len must be <= 131072 (max_position_embeddings of the model; rondo.allow_longer_than_model lifts it), got 99999999 (FILE:4)",
                        "config: rondo.cpu_threads must be <= 1024 (one machine has no use for more), got 100000 (FILE:5)",
                        "config: max_num_tokens must be >= 1, got 0 (--max_num_tokens)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            max_seq_len: 2147483647    | max_seq_len
            max_seq_len: 99999999      | max_seq_len
            max_num_tokens: 1048576    | max_num_tokens
            """)
    void aStepThatNoMachineHoldsIsToldWithWhatWouldFit(String line, String key) throws IOException {
        Path yaml = Files.writeString(
                directory.resolve("serve.yaml"), line + "\nrondo:\n  allow_longer_than_model: true\n");
        assertThat(serveRefused(
                        UserError.USAGE, BUNDLED, "--config", yaml.toString(), "--check", "--device_memory", "8GiB"))
                .matches("config: " + key
                        + " must be <= \\d{5,8} \\(block tables and buffers of the largest step take [0-9.]+ GiB,"
                        + " 8\\.0 GiB are free beside the weights\\), got \\d+ \\(.*:1\\)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            max_batch_size: [1   | config: not valid YAML: expected ',' or ']', but got <stream end> (FILE:2)
            max_batch_size: many | config: max_batch_size must be an integer, got 'many' (FILE:1)
            max_batch_sise: 4    | config: max_batch_sise is not a known key (FILE:1); did you mean 'max_batch_size'?
            - a                  | config: the root must be a mapping, got a sequence (FILE:1)
            kv_cache_config: 4   | config: kv_cache_config must be a mapping, got 4 (FILE:1)
            """)
    void aConfigurationFileThatIsWrong(String text, String line) throws IOException {
        Path yaml = Files.writeString(directory.resolve("serve.yaml"), text + "\n");
        assertThat(serveRefused(UserError.USAGE, BUNDLED, "--config", yaml.toString())
                        .replace(yaml.toString(), "FILE"))
                .isEqualTo(line);
    }

    @Test
    void aConfigurationFileThatIsNotThere() {
        Path gone = directory.resolve("gone.yaml");
        assertThat(serveRefused(UserError.USAGE, BUNDLED, "--config", gone.toString()))
                .isEqualTo("config: " + gone + " does not exist");
    }

    private Path traces() {
        Path file = directory.resolve("t.jsonl");
        CommandRun made = CommandRun.of("traces", "synth", file.toString(), "--traces", "1", "--turns", "1");
        assertThat(made.code()).as(made.err()).isZero();
        return file;
    }

    private String benchRefused(int code, String url, Path tokenizer, Path traces) {
        return refused(
                code,
                "bench",
                "--url",
                url,
                "--tokenizer",
                tokenizer.toString(),
                "--input-file",
                traces.toString(),
                "--output-artifact-dir",
                directory.resolve("artifacts").toString());
    }

    @Test
    void aBenchOfAServerThatIsNotThere() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            port = free.getLocalPort();
        }
        assertThat(benchRefused(UserError.USAGE, "http://localhost:" + port, BUNDLED, traces()))
                .isEqualTo("bench: GET http://localhost:" + port + "/v1/models failed: no server listens there");
    }

    @Test
    void aBenchOfNoAddress() {
        assertThat(benchRefused(UserError.USAGE, "localhost:8000", BUNDLED, traces()))
                .isEqualTo(
                        "rondo bench: --url must be http://HOST:PORT or https://HOST, got 'localhost:8000'; see 'rondo bench --help'");
    }

    @Test
    void aBenchWithoutTraces() throws IOException {
        Path empty = Files.writeString(directory.resolve("empty.jsonl"), "");
        assertThat(benchRefused(UserError.USAGE, "http://localhost:1", BUNDLED, empty))
                .isEqualTo("traces: " + empty + " holds no trace");
        Path gone = directory.resolve("gone.jsonl");
        assertThat(benchRefused(UserError.USAGE, "http://localhost:1", BUNDLED, gone))
                .isEqualTo("traces: " + gone + " does not exist");
        Path broken = Files.writeString(directory.resolve("broken.jsonl"), "{\"id\": \n");
        assertThat(benchRefused(UserError.USAGE, "http://localhost:1", BUNDLED, broken))
                .startsWith("trace: " + broken + ":1: not JSON: ");
    }

    @Test
    void aBenchWithADirectoryThatHoldsNoTokenizer() throws IOException {
        Path traces = traces();
        Path empty = Files.createDirectory(directory.resolve("empty"));
        try (BundledServer server = BundledServer.start("")) {
            assertThat(benchRefused(UserError.MODEL, server.url().toString(), empty, traces))
                    .isEqualTo("model: " + empty.resolve("tokenizer.json")
                            + " not found: a checkpoint needs a tokenizer.json");
        }
    }

    @Test
    void aQuickstartWithoutAModel() {
        Path gone = directory.resolve("gone");
        assertThat(refused(
                        UserError.MODEL,
                        "quickstart",
                        "--model",
                        gone.toString(),
                        "--output-artifact-dir",
                        directory.resolve("artifacts").toString()))
                .isEqualTo("model: directory '" + gone + "' not found");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aRequestThatIsWrong() throws Exception {
        try (BundledServer server = BundledServer.start("max_seq_len: 512\n")) {
            assertThat(answer(server, "{\"prompt\": \"a\""))
                    .isEqualTo(
                            "400 invalid_request_error null: the request body is not valid JSON at line 1, column 15:"
                                    + " Unexpected end-of-input: expected close marker for Object");
            assertThat(answer(server, "{\"prompt\": \"a\", \"max_tokens\": \"many\"}"))
                    .isEqualTo(
                            "400 invalid_request_error \"max_tokens\": 'max_tokens' must be an integer, got \"many\"");
            assertThat(answer(server, "{\"prompt\": {}}"))
                    .isEqualTo("400 invalid_request_error \"prompt\": 'prompt' must be a string, an array of strings,"
                            + " token ids or arrays of token ids, got an object");
            assertThat(answer(server, "{\"prompt\": [" + "5,".repeat(599) + "5], \"max_tokens\": 7}"))
                    .isEqualTo(
                            "400 invalid_request_error \"prompt\": This model's maximum context length is 512 tokens."
                                    + " However, you requested 607 tokens (600 in the messages, 7 in the completion). Please"
                                    + " reduce the length of the input messages or completion.");
            assertThat(answer(server, "{\"prompt\": \"a\", \"model\": \"gpt\"}"))
                    .isEqualTo("404 not_found_error \"model\": the model 'gpt' is not served here; this is"
                            + " 'glimmer-mini'");
            assertThat(server.booksBalance()).isTrue();
        }
    }

    private static String answer(BundledServer server, String body) throws Exception {
        HttpResponse<String> response = server.post("/v1/completions", body);
        JsonNode error = Json.mapper().readTree(response.body()).path("error");
        assertThat(error.path("message").asString()).isNotBlank().hasLineCount(1);
        return response.statusCode() + " " + error.path("type").asString() + " " + error.path("param") + ": "
                + error.path("message").asString();
    }
}
