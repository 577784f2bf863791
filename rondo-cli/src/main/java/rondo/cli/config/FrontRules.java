package rondo.cli.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import rondo.server.KeyFile;

/** What must hold for the operator's side of the front: keys, origins, buckets, environment. */
final class FrontRules {
    private static final String SKIP = "skip_tokenizer_init";
    private static final String KEYS = "rondo.api_keys";
    private static final String KEYS_FILE = "rondo.api_keys_file";
    private static final String ORIGINS = "rondo.cors_origins";
    private static final String BUCKETS = "prometheus_metrics_config.";
    private static final String ENVIRONMENT = "env_overrides.";
    private static final List<String> HISTOGRAMS = List.of(
            "e2e_request_latency_seconds",
            "request_queue_time_seconds",
            "time_to_first_token_seconds",
            "time_per_output_token_seconds");
    private static final int MAX_BUCKETS = 200;
    /** As a browser sends it: scheme, host and port, nothing behind. */
    private static final Pattern ORIGIN =
            Pattern.compile("[a-z][a-z0-9+.-]*://([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");

    private static final String OWN = "RONDO_";
    private static final String OTHER = "TLLM_";
    private static final List<String> VARIABLES = List.of(
            "LOG_LEVEL",
            "PREFIX_TOKEN_CACHE",
            "PREFIX_TOKEN_CACHE_ENTRIES",
            "PREFIX_TOKEN_CACHE_MAX_CHARS",
            "PREFIX_TOKEN_CACHE_MIN_CHARS");

    private final Settings settings;
    private final ConfigReader written;
    private final Problems problems;

    private FrontRules(Settings settings, ConfigReader written, Problems problems) {
        this.settings = settings;
        this.written = written;
        this.problems = problems;
    }

    static void check(Settings settings, ConfigReader written, Problems problems) {
        FrontRules rules = new FrontRules(settings, written, problems);
        rules.idsOnly();
        rules.keys();
        rules.keysFile();
        rules.origins();
        rules.buckets();
        rules.environment();
    }

    /** Without a tokenizer there is no text in which anything could be found. */
    private void idsOnly() {
        Setting skip = settings.get(SKIP);
        if (!settings.bool(SKIP)) {
            return;
        }
        String tools = settings.text("tool_parser");
        if (!tools.equals("auto") && !tools.equals("none")) {
            problems.conflict(skip.origin(), SKIP + "=true", "tool_parser", "calls are found in text");
        }
        Optional<Setting> reasoning = written.given("reasoning_parser").filter(Setting::isSet);
        if (reasoning.isPresent() && !reasoning.get().value().equals(new Value.Text("none"))) {
            problems.conflict(skip.origin(), SKIP + "=true", "reasoning_parser", "reasoning is found in text");
        }
        for (String path : List.of("tokenizer", "custom_tokenizer", "enable_tokenization_cache")) {
            Setting other = settings.get(path);
            if (other.isSet() && !other.isDefault() && !other.value().equals(new Value.Bool(false))) {
                problems.noEffect(other.origin(), path, other.show(), SKIP + " is true");
            }
        }
    }

    private void keys() {
        List<String> keys = settings.texts(KEYS);
        for (int i = 0; i < keys.size(); i++) {
            if (!KeyFile.isKey(keys.get(i))) {
                problems.mustBe(
                        settings.get(KEYS).origin(),
                        KEYS + "[" + i + "]",
                        "printable ASCII without spaces, 1 to 512 characters",
                        "***");
            }
        }
    }

    private void keysFile() {
        Setting setting = settings.get(KEYS_FILE);
        if (!setting.isSet()) {
            return;
        }
        try {
            Path path = Path.of(settings.text(KEYS_FILE));
            KeyFile.keys(path);
            if (KeyFile.isOpenToAll(path)) {
                problems.warn(
                        setting.origin(),
                        KEYS_FILE + "=" + setting.show() + " is readable by every user of this machine: chmod 600");
            }
        } catch (KeyFile.KeyFileException | InvalidPathException e) {
            String why = e instanceof InvalidPathException ? "it is no path" : String.valueOf(e.getMessage());
            problems.mustBe(
                    setting.origin(), KEYS_FILE, "a file of API keys, one a line (" + why + ")", setting.show());
        }
    }

    private void origins() {
        Setting setting = settings.get(ORIGINS);
        List<String> origins = settings.texts(ORIGINS);
        for (int i = 0; i < origins.size(); i++) {
            String origin = origins.get(i);
            if (!origin.equals("*") && !ORIGIN.matcher(origin).matches()) {
                problems.mustBe(
                        setting.origin(),
                        ORIGINS + "[" + i + "]",
                        "'*' or an origin like 'https://app.example.com' or 'http://localhost:3000'",
                        Scalars.quote(origin));
            }
        }
        boolean keyless =
                settings.texts(KEYS).isEmpty() && !settings.get(KEYS_FILE).isSet();
        if (origins.contains("*") && keyless) {
            problems.warn(
                    setting.origin(),
                    ORIGINS + "='*' without API keys: any page that a browser opens can use this server");
        }
    }

    private void buckets() {
        for (String name : HISTOGRAMS) {
            Setting setting = settings.get(BUCKETS + name);
            List<Double> bounds = settings.reals(setting.path());
            boolean ascending = true;
            for (int i = 1; i < bounds.size(); i++) {
                ascending &= bounds.get(i) > bounds.get(i - 1);
            }
            if (setting.isSet() && (bounds.isEmpty() || bounds.size() > MAX_BUCKETS || !ascending)) {
                problems.mustBe(
                        setting.origin(),
                        setting.path(),
                        "1 to " + MAX_BUCKETS + " ascending numbers of seconds",
                        setting.show());
            }
        }
    }

    private void environment() {
        for (String prefix : List.of(OWN, OTHER)) {
            for (String name : VARIABLES.subList(2, VARIABLES.size())) {
                Setting setting = settings.get(ENVIRONMENT + prefix + name);
                Optional<String> text = settings.written(setting.path());
                if (text.isPresent() && !isPositiveInt(text.get())) {
                    boolean word = setting.value() instanceof Value.Text;
                    String got = word ? Scalars.quote(text.get()) : setting.show();
                    problems.mustBe(setting.origin(), setting.path(), "a positive integer", got);
                }
            }
        }
    }

    private static boolean isPositiveInt(String text) {
        try {
            return Integer.parseInt(text) > 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static Optional<Path> path(String text) {
        try {
            return Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty(); // it has been told
        }
    }

    /** The checked settings. */
    static ServeConfig.Operator operator(Settings s) {
        Map<String, List<Double>> buckets = new LinkedHashMap<>();
        for (String name : HISTOGRAMS) {
            if (s.get(BUCKETS + name).isSet()) {
                buckets.put(name, s.reals(BUCKETS + name));
            }
        }
        Map<String, String> environment = new LinkedHashMap<>();
        for (String name : VARIABLES) {
            s.written(ENVIRONMENT + OWN + name)
                    .or(() -> s.written(ENVIRONMENT + OTHER + name))
                    .ifPresent(value -> environment.put(OWN + name, value));
        }
        return new ServeConfig.Operator(
                s.optionalText(KEYS_FILE).flatMap(FrontRules::path),
                s.texts(ORIGINS),
                buckets,
                environment,
                s.bool(SKIP),
                s.bool("rondo.allow_request_chat_template"),
                Duration.ofMillis(s.integer("rondo.drain_timeout_ms")));
    }
}
