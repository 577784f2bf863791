package rondo.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import rondo.base.Json;
import rondo.base.UserError;
import rondo.cli.config.ByteSize;
import rondo.kv.KvLayout;
import rondo.model.Inspection;
import rondo.model.Inspection.TypeTotal;
import rondo.model.arch.AttentionSpec;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.FeedForwardSpec;
import rondo.model.checkpoint.WeightLedger;
import rondo.text.ChatTemplate;
import rondo.text.parse.OutputParsers;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes an {@link Inspection} for people and for programs: {@code rondo inspect MODEL [--json]}. */
final class InspectReport {
    /** Most names of one kind that the table lists; JSON has them all. */
    private static final int MOST_NAMES = 10;

    /** @param added tokens that stand beside the vocabulary proper, counted in {@code size} */
    record Vocabulary(int size, int added) {}

    /** What turns text into tokens and answers into messages. */
    record Text(Optional<Vocabulary> vocabulary, Optional<ChatTemplate> template, OutputParsers parsers) {}

    private final Path directory;
    private final Inspection seen;
    private final DecoderSpec spec;
    private final KvLayout kv;
    private final Text text;

    InspectReport(Path directory, Inspection seen, Text text) {
        this.directory = directory;
        this.seen = seen;
        this.spec = seen.spec();
        this.kv = seen.kv();
        this.text = text;
    }

    String text() {
        StringBuilder out = new StringBuilder();
        line(
                out,
                "model",
                "%s, %s, %d parameters",
                spec.architecture(),
                seen.dtype().key(),
                seen.parameters());
        line(out, "layers", "%d (%s), hidden %d, %s", spec.layers().size(), kinds(), spec.hidden(), feedForward());
        attentions().forEach((attention, layers) -> line(out, "attention", "%s", about(attention, layers)));
        line(
                out,
                "vocabulary",
                "%d%s",
                spec.vocabulary(),
                spec.tiedHead() ? ", the head is the embedding" : ", head of its own");
        line(out, "context", "%d tokens", spec.maxLength());
        for (TypeTotal total : seen.consumed()) {
            line(out, "bytes", "%s", about(total));
        }
        for (TypeTotal total : seen.skipped()) {
            line(out, "skipped", "%s", about(total));
        }
        line(out, "kv cache", "%s, %d bytes per token", seen.kvDtype().key(), bytesPerToken());
        for (int lc = 0; lc < kv.lifeCycles().size(); lc++) {
            line(out, "", "%s", aboutLifeCycle(lc));
        }
        line(out, "tokenizer", "%s", text.vocabulary().map(InspectReport::about).orElse("none (no tokenizer.json)"));
        line(out, "template", "%s", template());
        line(
                out,
                "parsers",
                "tools %s, reasoning %s (%s)",
                text.parsers().tools(),
                text.parsers().reasoning(),
                text.parsers().reason());
        out.append('\n');
        ledger(out);
        return out.toString();
    }

    private void ledger(StringBuilder out) {
        WeightLedger ledger = seen.ledger();
        out.append(ledger.line()).append('\n');
        ledger.skipped()
                .forEach((rule, names) ->
                        out.append(String.format(Locale.ROOT, "  skipped by %s: %s\n", rule, first(names, 3))));
        if (!ledger.missing().isEmpty()) {
            out.append("  missing: ")
                    .append(first(ledger.missing(), MOST_NAMES))
                    .append('\n');
        }
        if (!ledger.leftOver().isEmpty()) {
            out.append("  left over: ")
                    .append(first(ledger.leftOver(), MOST_NAMES))
                    .append('\n');
        }
    }

    private static String first(List<String> names, int most) {
        String some = String.join(", ", names.subList(0, Math.min(most, names.size())));
        return names.size() > most ? some + " and " + (names.size() - most) + " more" : some;
    }

    private static void line(StringBuilder out, String key, String format, Object... values) {
        out.append(String.format(Locale.ROOT, "%-12s", key))
                .append(String.format(Locale.ROOT, format, values))
                .append('\n');
    }

    private int fullLayers() {
        return (int) spec.layers().stream()
                .filter(layer -> layer.attention().window() == 0)
                .count();
    }

    private String kinds() {
        int full = fullLayers();
        int sliding = spec.layers().size() - full;
        return sliding == 0 ? "all full attention" : full + " full, " + sliding + " sliding";
    }

    private String feedForward() {
        return switch (spec.layers().getFirst().feedForward()) {
            case FeedForwardSpec.SwiGlu(int width) -> "feed-forward " + width;
            case FeedForwardSpec.Experts e ->
                e.experts() + " experts of width " + e.width() + ", " + e.topK() + " per token";
        };
    }

    /** The kinds of attention in the order of the layers, and how many layers have each. */
    private Map<AttentionShape, Integer> attentions() {
        Map<AttentionShape, Integer> kinds = new LinkedHashMap<>();
        spec.layers().forEach(layer -> kinds.merge(AttentionShape.of(layer.attention()), 1, Integer::sum));
        return kinds;
    }

    private record AttentionShape(int window, int heads, int kvHeads, int headDim) {
        static AttentionShape of(AttentionSpec spec) {
            return new AttentionShape(spec.window(), spec.heads(), spec.kvHeads(), spec.headDim());
        }
    }

    private static String about(AttentionShape a, int layers) {
        return String.format(
                Locale.ROOT,
                "%d layers %s: %d query heads, %d KV heads, head size %d",
                layers,
                a.window() == 0 ? "full" : "sliding over " + a.window() + " tokens",
                a.heads(),
                a.kvHeads(),
                a.headDim());
    }

    private static String about(TypeTotal total) {
        return String.format(
                Locale.ROOT,
                "%s: %d tensors, %d parameters, %d bytes (%s)",
                total.type(),
                total.tensors(),
                total.parameters(),
                total.bytes(),
                ByteSize.rounded(total.bytes()));
    }

    private static String about(Vocabulary v) {
        return v.size() + " tokens, " + v.added() + " of them added";
    }

    private long bytesPerToken(int lifeCycle) {
        return kv.pageBytes().get(lifeCycle) / kv.tokensPerBlock();
    }

    /** Of a token that every layer still sees. */
    private long bytesPerToken() {
        long bytes = 0;
        for (int lc = 0; lc < kv.lifeCycles().size(); lc++) {
            bytes += bytesPerToken(lc);
        }
        return bytes;
    }

    private String aboutLifeCycle(int lc) {
        int window = kv.lifeCycles().get(lc).window();
        return String.format(
                Locale.ROOT,
                "%s: %d layers, %d bytes per token, page of %d tokens %d bytes",
                window == 0 ? "full" : "sliding over " + window + " tokens",
                layersOf(window),
                bytesPerToken(lc),
                kv.tokensPerBlock(),
                kv.pageBytes().get(lc));
    }

    private int layersOf(int window) {
        return (int) spec.layers().stream()
                .filter(layer -> layer.attention().window() == window)
                .count();
    }

    private String template() {
        return text.template()
                .map(t -> templateFile() + ", " + t.source().length() + " characters")
                .orElse("none (no chat_template.jinja, and none in tokenizer_config.json)");
    }

    private String templateFile() {
        return Files.exists(directory.resolve("chat_template.jinja")) ? "chat_template.jinja" : "tokenizer_config.json";
    }

    String json() {
        ObjectNode root = Json.mapper().createObjectNode();
        root.put("model", directory.toString())
                .put("architecture", spec.architecture())
                .put("loadable", seen.fault().isEmpty());
        seen.fault().map(UserError::getMessage).ifPresentOrElse(m -> root.put("fault", m), () -> root.putNull("fault"));
        root.put("context_length", spec.maxLength())
                .put("dtype", seen.dtype().key())
                .put("parameters", seen.parameters());
        ArrayNode eos = root.putArray("eos_token_ids");
        seen.generation().eos().forEach(eos::add);
        decoder(root.putObject("decoder"));
        weights(root.putObject("weights"));
        kv(root.putObject("kv_cache"));
        text(root);
        return root.toPrettyString() + "\n";
    }

    private void decoder(ObjectNode out) {
        out.put("layers", spec.layers().size())
                .put("full_layers", fullLayers())
                .put("sliding_layers", spec.layers().size() - fullLayers())
                .put("hidden", spec.hidden())
                .put("vocabulary", spec.vocabulary())
                .put("tied_head", spec.tiedHead());
        ArrayNode attention = out.putArray("attention");
        attentions()
                .forEach((a, layers) -> attention
                        .addObject()
                        .put("layers", layers)
                        .put("window", a.window())
                        .put("heads", a.heads())
                        .put("kv_heads", a.kvHeads())
                        .put("head_dim", a.headDim()));
        ObjectNode inner = out.putObject("feed_forward");
        switch (spec.layers().getFirst().feedForward()) {
            case FeedForwardSpec.SwiGlu(int width) -> inner.put("width", width);
            case FeedForwardSpec.Experts e ->
                inner.put("width", e.width()).put("experts", e.experts()).put("experts_per_token", e.topK());
        }
    }

    private void weights(ObjectNode out) {
        WeightLedger ledger = seen.ledger();
        out.put("consumed", ledger.consumed().size())
                .put("skipped", ledger.skippedCount())
                .put("missing", ledger.missing().size())
                .put("left_over", ledger.leftOver().size())
                .put("bytes", seen.bytes());
        types(out.putArray("by_dtype"), seen.consumed());
        types(out.putArray("skipped_by_dtype"), seen.skipped());
        ObjectNode rules = out.putObject("skipped_by_rule");
        ledger.skipped().forEach((rule, names) -> rules.put(rule, names.size()));
        ArrayNode missing = out.putArray("missing_names");
        ledger.missing().forEach(missing::add);
        ArrayNode leftOver = out.putArray("left_over_names");
        ledger.leftOver().forEach(leftOver::add);
    }

    private static void types(ArrayNode out, List<TypeTotal> totals) {
        for (TypeTotal total : totals) {
            out.addObject()
                    .put("dtype", total.type().name())
                    .put("tensors", total.tensors())
                    .put("parameters", total.parameters())
                    .put("bytes", total.bytes());
        }
    }

    private void kv(ObjectNode out) {
        out.put("dtype", seen.kvDtype().key())
                .put("tokens_per_block", kv.tokensPerBlock())
                .put("bytes_per_token", bytesPerToken());
        ArrayNode lifeCycles = out.putArray("life_cycles");
        for (int lc = 0; lc < kv.lifeCycles().size(); lc++) {
            int window = kv.lifeCycles().get(lc).window();
            lifeCycles
                    .addObject()
                    .put("window", window)
                    .put("layers", layersOf(window))
                    .put("bytes_per_token", bytesPerToken(lc))
                    .put("page_bytes", kv.pageBytes().get(lc));
        }
    }

    private void text(ObjectNode root) {
        text.vocabulary()
                .ifPresentOrElse(
                        v -> root.putObject("tokenizer")
                                .put("vocabulary", v.size())
                                .put("added_tokens", v.added()),
                        () -> root.putNull("tokenizer"));
        text.template()
                .ifPresentOrElse(
                        t -> root.putObject("chat_template")
                                .put("file", templateFile())
                                .put("characters", t.source().length()),
                        () -> root.putNull("chat_template"));
        root.putObject("parsers")
                .put("tools", text.parsers().tools())
                .put("reasoning", text.parsers().reasoning())
                .put("reason", text.parsers().reason());
    }
}
