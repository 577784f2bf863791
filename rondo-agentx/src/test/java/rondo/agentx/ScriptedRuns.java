package rondo.agentx;

import java.nio.file.Path;
import rondo.agentx.client.TargetOptions;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.synth.SynthOptions;
import rondo.agentx.synth.TraceSynth;

/** Whole results for tests of what is made of them. */
public final class ScriptedRuns {
    private ScriptedRuns() {}

    /** Eight small synthetic traces with subagents on so many lanes; one request fails. */
    public static BenchResult run(Path artifacts, int sessions) throws Exception {
        try (ScriptedServer server = new ScriptedServer(r -> r.index() == 7
                ? ScriptedServer.error(500, "{\"error\":{\"message\":\"boom\",\"type\":\"server_error\"}}")
                : ScriptedServer.tokens(
                        r.maxTokens(),
                        3 + r.index() % 9 + sessions,
                        1 + r.index() % 3,
                        r.body().toString().length() / 5,
                        r.body().toString().length() / 7))) {
            BenchOptions options = BenchOptions.builder(TargetOptions.of(server.url(), "scripted"), artifacts)
                    .concurrency(sessions)
                    .interTurnDelayCapSeconds(0.03)
                    .cacheBust(CacheBust.FIRST_TURN_PREFIX)
                    .command("rondo bench --concurrency " + sessions)
                    .build();
            return new BenchRun(options, new WordTokenizer(), BenchRunTest::template)
                    .run(TraceSynth.make(SynthOptions.small(3, 8, 5, 300, 60)), Progress.SILENT);
        }
    }
}
