package rondo.server;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import rondo.engine.EngineStats;

/** The servers that the rows of the conformance table ask, by name; each starts when it is first wanted. */
final class ConformanceServers implements AutoCloseable {
    private final Map<String, TestServer> started = new HashMap<>();

    TestServer named(String name) throws Exception {
        TestServer server = started.get(name);
        if (server == null) {
            server = start(name);
            started.put(name, server);
        }
        return server;
    }

    private static TestServer start(String name) throws Exception {
        return switch (name) {
            case "standard" -> new TestServer();
            case "strict" -> new TestServer(o -> o.strictBody(true));
            case "templates" -> new TestServer(o -> o.requestTemplates(true));
            case "priority" -> new TestServer(o -> o.priorityQueue(true));
            case "exact" -> new TestServer(o -> o.clampMaxTokens(false));
            case "open" -> new TestServer(o -> o.openSchemas(true));
            case "locked" -> new TestServer(o -> o.apiKeys(List.of("right-key")));
            case "small" -> new TestServer(o -> o.maxRequestBytes(200));
            case "short" -> new TestServer(o -> o.maxInputLen(30));
            case "hasty" -> new TestServer(o -> o.requestTimeoutMs(30));
            case "full" -> with(s -> s.service.queueLimit = 0);
            case "starting" -> with(s -> s.service.state = EngineStats.State.STARTING);
            case "failed" -> with(s -> s.service.state = EngineStats.State.FAILED);
            case "draining" -> with(s -> s.server.drain(Duration.ZERO));
            default -> throw new AssertionError("no server is named " + name);
        };
    }

    @FunctionalInterface
    private interface Change {
        void on(TestServer server) throws Exception;
    }

    private static TestServer with(Change change) throws Exception {
        TestServer server = new TestServer();
        change.on(server);
        return server;
    }

    /** What requests are checked against there. */
    GenerationFields.Context context(String name) throws Exception {
        TestServer server = named(name);
        return new GenerationFields.Context(
                server.model,
                TestTokenizer.VOCABULARY,
                FakeService.MAX_SEQ_LEN,
                ServerOptions.builder().build());
    }

    @Override
    public void close() throws Exception {
        for (TestServer server : started.values()) {
            server.close();
        }
    }
}
