package rondo.cli.config;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What must hold between keys (serve-config.md §1.9), as far as no model is needed to know it. */
final class Rules {
    private static final String KV = "kv_cache_config.";
    private static final String REUSE = KV + "block_reuse_config.";

    private final Settings settings;
    private final ConfigReader written;
    private final Problems problems;

    private Rules(Settings settings, ConfigReader written, Problems problems) {
        this.settings = settings;
        this.written = written;
        this.problems = problems;
    }

    static void check(Settings settings, ConfigReader written, Problems problems) {
        Rules rules = new Rules(settings, written, problems);
        rules.lengths();
        rules.stepSize();
        rules.pools();
        rules.endpoints();
        EventRules.check(settings, problems);
        FrontRules.check(settings, written, problems);
        rules.turns();
        rules.graphs();
        rules.directories();
    }

    private void lengths() {
        OptionalInt prompt = settings.optionalInt("max_input_len");
        OptionalInt longest = settings.optionalInt("max_seq_len");
        if (prompt.isPresent() && longest.isPresent() && prompt.getAsInt() >= longest.getAsInt()) {
            mustBe("max_input_len", "< " + longest.getAsInt() + " (max_seq_len)");
        }
        Setting requests = settings.get("enable_iter_req_stats");
        if (settings.bool(requests.path()) && !settings.bool("enable_iter_perf_stats")) {
            problems.add(requests.origin(), requests.path() + "=true needs enable_iter_perf_stats=true");
        }
        OptionalInt tokens = settings.optionalInt(KV + "max_tokens");
        int block = settings.integer(KV + "tokens_per_block");
        if (tokens.isPresent() && tokens.getAsInt() < block) {
            mustBe(KV + "max_tokens", ">= " + block + " (kv_cache_config.tokens_per_block)");
        }
    }

    /** Rule 6, and the chunk that must hold a block. */
    private void stepSize() {
        Setting batch = settings.get("max_batch_size");
        Setting step = settings.get("max_num_tokens");
        int sequences = settings.integer("max_batch_size");
        int tokens = settings.integer("max_num_tokens");
        int block = settings.integer(KV + "tokens_per_block");
        if (settings.bool("enable_chunked_prefill") && tokens < block) {
            Setting cited = step.isDefault() ? settings.get(KV + "tokens_per_block") : step;
            problems.mustBe(
                    cited.origin(),
                    "max_num_tokens",
                    ">= " + block + " (kv_cache_config.tokens_per_block, with enable_chunked_prefill)",
                    Integer.toString(tokens));
        }
        if (batch.isDefault() && step.isDefault()) {
            return;
        }
        Origin cited = step.isDefault() ? batch.origin() : step.origin();
        if (sequences > tokens) {
            problems.warn(
                    cited,
                    "max_batch_size=" + sequences + " > max_num_tokens=" + tokens
                            + ": a step cannot hold one token of every sequence");
        } else if (tokens < sequences + block) {
            problems.warn(
                    cited,
                    "max_num_tokens=" + tokens + " < " + sequences + " (max_batch_size) + " + block
                            + " (kv_cache_config.tokens_per_block) = " + (sequences + block)
                            + ": beside a full decode batch no aligned prefill chunk fits");
        }
    }

    private void pools() {
        List<Double> ratio = settings.reals(KV + "pool_ratio");
        Setting setting = settings.get(KV + "pool_ratio");
        if (!setting.isSet()) {
            return;
        }
        double sum = ratio.stream().mapToDouble(Double::doubleValue).sum();
        if (Math.abs(sum - 1) > 1e-6) {
            mustBe(KV + "pool_ratio", "numbers that sum to 1.0");
        }
        Setting length = settings.get(KV + "avg_seq_len");
        if (length.isSet()) {
            problems.noEffect(
                    length.origin(), length.path(), length.show(), "kv_cache_config.pool_ratio sizes the pools");
        }
    }

    /** Rule 3. */
    private void endpoints() {
        Setting rewind = settings.get(REUSE + "swa_endpoint_rewind_tokens");
        if (!rewind.isSet()) {
            return;
        }
        if (settings.integer(rewind.path()) == 0) {
            Setting track = settings.get("rondo.swa_endpoint_track_decode");
            if (settings.bool(track.path())) {
                problems.noEffect(track.origin(), track.path(), "true", rewind.path() + " is 0");
            }
            return;
        }
        String start = rewind.path() + "=" + rewind.show() + " needs ";
        if (!settings.bool(KV + "enable_block_reuse")) {
            problems.add(rewind.origin(), start + "enable_block_reuse=true");
        }
        if (!settings.text(REUSE + "policy").equals("all_reusable")) {
            problems.add(rewind.origin(), start + "block_reuse_config.policy=all_reusable");
        }
        if (settings.get(KV + "use_kv_cache_manager_v2").value().equals(new Value.Bool(false))) {
            problems.add(rewind.origin(), start + "use_kv_cache_manager_v2=true");
        }
    }

    /** Turns are counted for one policy only. */
    private void turns() {
        Setting turns = settings.get(REUSE + "max_num_turns");
        String policy = settings.text(REUSE + "policy");
        if (settings.integer(turns.path()) != 1 && !policy.equals("per_conversation")) {
            problems.noEffect(
                    turns.origin(),
                    turns.path(),
                    turns.show(),
                    "block_reuse_config.policy=" + policy + " counts no turns");
        }
    }

    /** Rules 1 and 2, and the sizes of recorded decode steps: checked though the CPU records nothing. */
    private void graphs() {
        Optional<Setting> backend = written.given("prefill_cuda_graph_backend");
        Optional<Setting> compile = written.given("torch_compile_config");
        String chosen = backend.map(b -> b.value().yaml()).orElse("");
        if (chosen.equals("breakable") && compile.isPresent()) {
            problems.conflict(
                    backend.get().origin(),
                    "prefill_cuda_graph_backend=breakable",
                    "torch_compile_config",
                    "recorded prefill is set up in one place only");
        }
        Optional<Setting> piecewise = written.given("torch_compile_config.enable_piecewise_cuda_graph")
                .filter(s -> s.value().equals(new Value.Bool(true)));
        if (piecewise.isPresent() && backend.isPresent() && !chosen.equals("piecewise")) {
            problems.conflict(
                    piecewise.get().origin(),
                    "torch_compile_config.enable_piecewise_cuda_graph=true",
                    "prefill_cuda_graph_backend",
                    "it means prefill_cuda_graph_backend=piecewise, got " + chosen);
        }
        Optional<Setting> tokens =
                written.given("torch_compile_config.capture_num_tokens").filter(Setting::isSet);
        Optional<Setting> own = written.given("prefill_capture_num_tokens").filter(Setting::isSet);
        if (tokens.isPresent()
                && own.isPresent()
                && !tokens.get().value().equals(own.get().value())) {
            problems.conflict(
                    tokens.get().origin(),
                    "torch_compile_config.capture_num_tokens",
                    "prefill_capture_num_tokens",
                    "the two are one key, and their values differ");
        }
        own.ifPresent(this::noDuplicates);
        decodeSizes();
    }

    private void noDuplicates(Setting list) {
        List<Value> items = ((Value.Items) list.value()).items();
        if (items.stream().distinct().count() < items.size()) {
            problems.mustBe(list.origin(), list.path(), "a list without duplicates", list.show());
        }
    }

    private void decodeSizes() {
        Optional<Setting> sizes = written.given("cuda_graph_config.batch_sizes").filter(Setting::isSet);
        Optional<Setting> most = written.given("cuda_graph_config.max_batch_size")
                .filter(s -> !s.value().equals(new Value.Int(0)));
        if (sizes.isPresent() && most.isPresent()) {
            long greatest = ((Value.Items) sizes.get().value())
                    .items().stream()
                            .mapToLong(v -> ((Value.Int) v).number())
                            .max()
                            .orElse(0);
            if (!most.get().value().equals(new Value.Int(greatest))) {
                problems.conflict(
                        most.get().origin(),
                        "cuda_graph_config.max_batch_size",
                        "cuda_graph_config.batch_sizes",
                        "its maximum is " + greatest);
            }
        }
    }

    /** Local directories only: a hub's name is told apart by not being there. */
    private void directories() {
        for (String path : List.of("model", "tokenizer")) {
            Setting setting = settings.get(path);
            Optional<String> text = settings.optionalText(path);
            if (text.isPresent() && !Directories.exists(text.get())) {
                problems.mustBe(setting.origin(), path, "a local directory", Scalars.quote(text.get()));
            }
        }
    }

    private void mustBe(String path, String expected) {
        Setting setting = settings.get(path);
        problems.mustBe(setting.origin(), path, expected, setting.show());
    }
}
