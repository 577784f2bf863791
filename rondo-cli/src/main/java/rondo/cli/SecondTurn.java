package rondo.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import rondo.base.Env;
import rondo.base.Json;
import rondo.base.TimeSource;
import rondo.cli.config.ConfigLoader;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code rondo dev second-turn}: how much sooner a conversation's second turn answers than its first. */
@Command(
        name = "second-turn",
        description = "Measures the time to the first token of the first and the second turn of long conversations.",
        mixinStandardHelpOptions = true)
final class SecondTurn implements Callable<Integer> {
    private static final String[] WORDS = ("the timeout of fresh table is long ago a sailor lived in quiet village and"
                    + " loved to explore data rows")
            .split(" ");
    private static final int REPLY_TOKENS = 32;

    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Option(names = "--words", defaultValue = "3600", paramLabel = "N", description = "Of the first message.")
    private int words = 3600;

    @Option(names = "--more", defaultValue = "150", paramLabel = "N", description = "Words of the second message.")
    private int more = 150;

    @Option(names = "--conversations", defaultValue = "9", paramLabel = "N", description = "Measured ones.")
    private int conversations = 9;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final TimeSource time = TimeSource.system();

    /** What one streamed answer showed. */
    private record Turn(double ttftMillis, String text, int promptTokens, int cachedTokens) {}

    @Override
    public Integer call() throws Exception {
        if (spec == null) {
            throw new IllegalStateException("run by picocli only");
        }
        PrintWriter out = spec.commandLine().getOut();
        Logging.level("warning");
        ServeRequest request = new ServeRequest(
                Quickstart.bundledModel(), "mini", "localhost", 0, Optional.empty(), ConfigLoader.load(List.of()));
        double[] ratios = new double[conversations];
        try (LocalServer server = LocalServer.start(request, new Env(Map.of()), time)) {
            // The first two conversations pay for cold code and do not count.
            for (int i = -2; i < conversations; i++) {
                double ratio = converse(server, i, out);
                if (i >= 0) {
                    ratios[i] = ratio;
                }
            }
        }
        Arrays.sort(ratios);
        out.printf(
                "second turn / first turn: median %.3f, worst %.3f%n",
                ratios[conversations / 2], ratios[ratios.length - 1]);
        out.flush();
        return 0;
    }

    private double converse(LocalServer server, int index, PrintWriter out) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(index);
        ArrayNode messages = Json.mapper().createArrayNode();
        messages.addObject().put("role", "user").put("content", text(random, words));
        Turn first = ask(server, messages, index);
        messages.addObject().put("role", "assistant").put("content", first.text());
        messages.addObject().put("role", "user").put("content", text(random, more));
        Turn second = ask(server, messages, index);
        out.printf(
                "%s%d tokens: %.0f ms; then %d tokens, %d of them cached: %.0f ms%n",
                index < 0 ? "(warm-up) " : "",
                first.promptTokens(),
                first.ttftMillis(),
                second.promptTokens(),
                second.cachedTokens(),
                second.ttftMillis());
        return second.ttftMillis() / first.ttftMillis();
    }

    private static String text(SplittableRandom random, int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++) {
            text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
        }
        return text.toString().strip();
    }

    private Turn ask(LocalServer server, ArrayNode messages, int salt) throws IOException, InterruptedException {
        ObjectNode body = Json.mapper().createObjectNode();
        body.set("messages", messages);
        body.put("stream", true)
                .put("max_tokens", REPLY_TOKENS)
                .put("temperature", 0)
                .put("ignore_eos", true);
        body.put("cache_salt", "conversation " + salt);
        body.putObject("stream_options").put("include_usage", true);
        HttpRequest request = HttpRequest.newBuilder(server.url().resolve("/v1/chat/completions"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8))
                .build();
        long begin = time.nanoTime();
        HttpResponse<java.io.InputStream> response = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        double ttft = 0;
        StringBuilder text = new StringBuilder();
        JsonNode usage = Json.mapper().createObjectNode();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("data: {")) {
                    continue;
                }
                JsonNode chunk = Json.mapper().readTree(line.substring("data: ".length()));
                String piece = chunk.path("choices")
                        .path(0)
                        .path("delta")
                        .path("content")
                        .asString("");
                if (!piece.isEmpty() && ttft == 0) {
                    ttft = (time.nanoTime() - begin) / 1e6;
                }
                text.append(piece);
                usage = chunk.path("usage").isObject() ? chunk.path("usage") : usage;
            }
        }
        return new Turn(
                ttft,
                text.toString(),
                usage.path("prompt_tokens").asInt(),
                usage.path("prompt_tokens_details").path("cached_tokens").asInt());
    }
}
