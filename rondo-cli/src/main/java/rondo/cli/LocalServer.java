package rondo.cli;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.agentx.ServedPrompt;
import rondo.base.Env;
import rondo.base.TimeSource;
import rondo.base.UserError;
import rondo.cli.config.ServeConfig;
import rondo.cpu.Cpu;
import rondo.engine.Engine;
import rondo.engine.EngineOptions;
import rondo.engine.EngineStats;
import rondo.engine.spi.Executor;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.ModelFacts;
import rondo.kv.KvCache;
import rondo.kv.KvCacheManager;
import rondo.kv.KvLayout;
import rondo.kv.KvPools;
import rondo.kv.LifeCycle;
import rondo.model.DType;
import rondo.model.LoadedModel;
import rondo.model.ModelLoader;
import rondo.model.ModelOptions;
import rondo.model.arch.DecoderSpec;
import rondo.model.checkpoint.GenerationConfig;
import rondo.model.checkpoint.WeightLedger;
import rondo.model.compute.Device;
import rondo.server.ContentParts;
import rondo.server.IdsOnly;
import rondo.server.RondoServer;
import rondo.server.SamplingDefaults;
import rondo.server.ServedModel;
import rondo.server.ServerOptions;
import rondo.server.WeightSummary;
import rondo.server.kvevents.BufferedKvEvents;
import rondo.server.kvevents.CacheShape;
import rondo.server.kvevents.KvEventStream;
import rondo.server.kvevents.KvEvents;
import rondo.text.ChatEncoder;
import rondo.text.ChatTemplate;
import rondo.text.HuggingFaceTokenizer;
import rondo.text.Tokenizer;
import rondo.text.parse.OutputParsers;

/** A server in this process: device, model, memory, engine and front, joined by hand. */
final class LocalServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("rondo");

    private final Tokenizer tokenizer;
    private final ChatEncoder chat;
    private final LoadedModel model;
    private final Engine engine;
    private final KvEvents events;
    private final RondoServer http;
    private final URI url;

    private LocalServer(
            Tokenizer tokenizer,
            ChatEncoder chat,
            LoadedModel model,
            Engine engine,
            KvEvents events,
            RondoServer http,
            URI url) {
        this.tokenizer = tokenizer;
        this.chat = chat;
        this.model = model;
        this.engine = engine;
        this.events = events;
        this.http = http;
        this.url = url;
    }

    /** Loads the model and listens; whatever fails, nothing is left behind. */
    static LocalServer start(ServeRequest request, Env environment, TimeSource time) {
        ServeConfig config = request.config();
        Env env = environment.with(config.operator().environment());
        ServerOptions options = serverOptions(request, env);
        RondoServer.checkAddress(request.host(), request.port());
        Keys.exposure(request.host(), options).ifPresent(LOG::warn);
        LOG.info("rondo version={} model={} directory={}", Version.rondo(), request.servedName(), request.model());
        try (Undo undo = new Undo()) {
            // The tokenizer and the event loops take as long to come up as the weights: all at once.
            Background<Tokenizer> text = Background.start("rondo-tokenizer", () -> tokenizer(request));
            undo.add(() -> text.quietly(Tokenizer::close));
            Background<RondoServer.Transport> transport =
                    Background.start("rondo-transport", () -> RondoServer.Transport.open(options, time));
            Undo.Step closeTransport = undo.add(() -> transport.quietly(RondoServer.Transport::close));
            LoadedModel model = load(request, undo, time);
            MemoryPlan memory = memory(config, model.executor());
            KvEvents events = events(config.events(), memory);
            undo.add(events::close);
            Engine engine = engine(config, model.executor(), memory, events, time);
            undo.add(engine::close);
            Tokenizer tokenizer = text.await();
            boolean idsOnly = config.operator().idsOnly();
            ChatTemplate template = idsOnly ? ChatTemplate.of("", Map.of()) : template(request);
            ChatEncoder chat = new ChatEncoder(
                    tokenizer, template, config.model().safeSpecialTokens(), TokenizationCaches.of(config, env));
            OutputParsers parsers = parsers(
                    config,
                    tokenizer.addedTokens(),
                    Optional.of(template),
                    model.spec().architecture());
            LOG.info(
                    "answers tool_parser={} reasoning_parser={} reason=\"{}\"",
                    parsers.tools(),
                    parsers.reasoning(),
                    parsers.reason());
            ServedModel served = served(request, model, tokenizer, template, chat, parsers);
            engine.start();
            RondoServer.Transport loops = transport.await();
            undo.remove(closeTransport);
            RondoServer http = RondoServer.start(loops, options, served, engine, time, events);
            undo.keep();
            String host = request.host().contains(":") ? "[" + request.host() + "]" : request.host();
            URI url = URI.create("http://" + host + ":" + http.port());
            return new LocalServer(tokenizer, chat, model, engine, events, http, url);
        }
    }

    private static Tokenizer tokenizer(ServeRequest request) {
        if (request.config().operator().idsOnly()) {
            return new IdsOnly();
        }
        Path directory = request.config().model().tokenizer().map(Path::of).orElse(request.model());
        return HuggingFaceTokenizer.load(directory);
    }

    private static ChatTemplate template(ServeRequest request) {
        if (request.chatTemplate().isPresent()) {
            return ChatTemplate.replacing(
                    request.model(), request.chatTemplate().get());
        }
        return ChatTemplate.load(request.model())
                .orElseThrow(() -> new UserError(
                        UserError.MODEL,
                        "model: " + request.model() + " has no chat template (chat_template.jinja or"
                                + " tokenizer_config.json); give one with --chat_template"));
    }

    /** Which parsers a server with this configuration uses. */
    static OutputParsers parsers(
            ServeConfig config,
            List<Tokenizer.AddedToken> addedTokens,
            Optional<ChatTemplate> template,
            String architecture) {
        return OutputParsers.choose(
                config.operator().idsOnly() ? "none" : config.model().toolParser(),
                config.operator().idsOnly() ? "none" : config.model().reasoningParser(),
                addedTokens,
                template.map(ChatTemplate::source),
                architecture);
    }

    /** How the file wants the checkpoint to be read. */
    static ModelOptions modelOptions(ServeConfig config) {
        return new ModelOptions(
                DType.valueOf(config.model().dtype().name()),
                DType.valueOf(config.kv().dtype().name()),
                config.kv().tokensPerBlock(),
                config.model().disableMmEncoder(),
                config.kv().windows(),
                config.limits().maxSeqLen().orElse(0));
    }

    private static LoadedModel load(ServeRequest request, Undo undo, TimeSource time) {
        ServeConfig config = request.config();
        ModelOptions options = modelOptions(config);
        int threads = config.cpu().threads().orElse(Runtime.getRuntime().availableProcessors());
        Device device = Cpu.open(threads);
        Undo.Step closeDevice = undo.add(device::close);
        LOG.info("device {}", device.describe());
        long begin = time.nanoTime();
        boolean dummy = config.model().dummyWeights();
        if (dummy) {
            LOG.warn("load_format=dummy: the weights are random numbers, the answers mean nothing");
        }
        LoadedModel model = dummy
                ? ModelLoader.loadDummy(request.model(), options, device, time)
                : ModelLoader.load(request.model(), options, device, time);
        undo.replace(closeDevice, model.executor()::close);
        LOG.info(
                "{} dtype={} kv_dtype={} load_ms={}",
                model.ledger().line(),
                model.dtype().key(),
                model.kvDtype().key(),
                (time.nanoTime() - begin) / 1_000_000);
        LOG.info(
                "windows layers=\"{}\" source={}",
                windows(model.spec()),
                config.kv().windows().isEmpty() ? "config.json" : "kv_cache_config.max_attention_window");
        return model;
    }

    /** How many layers see how far, in order of first appearance: {@code 6 of 256, 2 full}. */
    private static String windows(DecoderSpec spec) {
        Map<Integer, Integer> layers = new LinkedHashMap<>();
        spec.layers().forEach(layer -> layers.merge(layer.attention().window(), 1, Integer::sum));
        List<String> out = new ArrayList<>();
        layers.forEach((window, count) -> out.add(count + (window == 0 ? " full" : " of " + window)));
        return String.join(", ", out);
    }

    private static MemoryPlan memory(ServeConfig config, Executor executor) {
        ModelFacts facts = executor.model();
        MemoryBudget budget = executor.budget(MemoryPlan.limits(config, facts.maxLength()));
        return MemoryPlan.of(config, facts, MemoryBase.ofCpu(config, budget));
    }

    private static KvEvents events(ServeConfig.Events config, MemoryPlan memory) {
        KvLayout layout = memory.pools().layout();
        List<Integer> windows =
                layout.lifeCycles().stream().map(LifeCycle::window).toList();
        CacheShape shape = new CacheShape(layout.tokensPerBlock(), memory.maxSeqLen(), windows);
        if (config.stream().isPresent()) {
            return KvEventStream.open(config.stream().get(), shape, InstantSource.system());
        }
        return config.buffered() > 0 ? new BufferedKvEvents(config.buffered(), config.hashes(), shape) : KvEvents.off();
    }

    private static Engine engine(
            ServeConfig config, Executor executor, MemoryPlan memory, KvEvents events, TimeSource time) {
        EngineOptions options = memory.engineOptions(config, false);
        KvPools pools = memory.pools();
        executor.open(pools, options.limits());
        KvCache kv = new KvCacheManager(
                pools,
                config.kv().options(options.maxNumTokens()).withEventBuffer(events.stepLimit()),
                options.maxBatchSize(),
                options.maxSeqLen());
        config.noticesFor(pools.layout().lifeCycles()).forEach(notice -> LOG.info("{}", notice.text()));
        memory.log(LOG);
        LOG.info(
                "scheduler policy={} preemption={} overlap={} max_batch_size={} max_num_tokens={} max_seq_len={}"
                        + " chunked_prefill={}",
                options.capacity(),
                options.preemption(),
                options.overlap(),
                options.maxBatchSize(),
                options.maxNumTokens(),
                options.maxSeqLen(),
                options.chunkedPrefill());
        return Engine.open(executor, kv, options, time, events.feed());
    }

    private static ServedModel served(
            ServeRequest request,
            LoadedModel model,
            Tokenizer tokenizer,
            ChatTemplate template,
            ChatEncoder chat,
            OutputParsers parsers) {
        ServeConfig config = request.config();
        Supplier<LocalDateTime> now = config.model()
                .templateDate()
                .<Supplier<LocalDateTime>>map(date -> () -> date.atTime(LocalTime.NOON))
                .orElse(LocalDateTime::now);
        return new ServedModel(
                request.servedName(),
                tokenizer,
                chat,
                ContentParts.readBy(template.source()),
                now,
                parsers,
                defaults(model.generation(), config.model().checkpointDefaults()),
                model.generation().eos().stream().mapToInt(Integer::intValue).toArray(),
                true,
                weights(model.ledger()),
                Version.rondo(),
                configHash(config));
    }

    private static SamplingDefaults defaults(GenerationConfig generation, boolean fromCheckpoint) {
        SamplingDefaults standard = SamplingDefaults.standard();
        if (!fromCheckpoint) {
            return standard;
        }
        double temperature = generation.doSample() ? generation.temperature().orElse(standard.temperature()) : 0;
        return new SamplingDefaults(
                temperature,
                generation.topK().orElse(standard.topK()),
                generation.topP().orElse(standard.topP()));
    }

    private static WeightSummary weights(WeightLedger ledger) {
        return new WeightSummary(
                ledger.consumed().size(),
                ledger.skippedCount(),
                String.join(", ", ledger.skipped().keySet()),
                ledger.missing().size(),
                ledger.leftOver().size());
    }

    private static ServerOptions serverOptions(ServeRequest request, Env env) {
        ServeConfig.Front front = request.config().front();
        ServeConfig.Operator operator = request.config().operator();
        ServerOptions.Builder options = ServerOptions.builder()
                .host(request.host())
                .port(request.port())
                .numPostprocessWorkers(front.postprocessWorkers())
                .streamInterval(front.streamInterval())
                .maxRequestBytes(front.maxRequestBytes())
                .requestTimeoutMs(request.config().scheduling().requestTimeoutMillis())
                .clampMaxTokens(front.clampMaxTokens())
                .apiKeys(Keys.of(front.apiKeys(), env))
                .corsOrigins(operator.corsOrigins())
                .buckets(operator.buckets())
                .requestTemplates(operator.templates())
                .strictBody(front.strictBody())
                .openSchemas(front.openSchemas())
                .metricsAlias(front.metricsAlias())
                .maxCharsPerToken(front.maxCharsPerToken())
                .maxInputLen(request.config().limits().maxInputLen().orElse(0))
                .iterPerfStats(front.iterPerfStats())
                .iterReqStats(request.config().scheduling().statistics().requests())
                .priorityQueue(request.config().scheduling().queueOrder() == EngineOptions.QueueOrder.PRIORITY)
                .metricsFormat(ServerOptions.MetricsFormat.valueOf(
                        front.metricsFormat().name()));
        operator.apiKeysFile().ifPresent(options::apiKeysFile);
        return options.build();
    }

    private static String configHash(ServeConfig config) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(config.effective().yaml().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 4);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Where it listens. */
    URI url() {
        return url;
    }

    Engine engine() {
        return engine;
    }

    Tokenizer tokenizer() {
        return tokenizer;
    }

    /** Messages to tokens as this server sees them. */
    ServedPrompt servedPrompt() {
        return new ServedPrompt(chat);
    }

    /** Whether the device is lost or the loop has failed; nothing more will be answered. */
    boolean failed() {
        return engine.stats().state() == EngineStats.State.FAILED;
    }

    /** Takes no more requests and lets the running ones end, at most so long and only while nobody is in a hurry. */
    boolean drain(Duration limit, BooleanSupplier hurry) throws InterruptedException {
        return http.drain(limit, hurry);
    }

    @Override
    public void close() {
        http.close();
        engine.close();
        events.close();
        model.executor().close();
        tokenizer.close();
    }
}
