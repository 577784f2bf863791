package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.Json;
import rondo.base.UserError;
import rondo.kv.KvStats;
import rondo.kv.Tier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The host tier of a real server: what the device has no room for comes back from the host, bit by bit (R024, R028 of the
 * user reports).
 */
@Timeout(180)
class HostTierTest {
    private static final int SESSIONS = 8;
    private static final int BLOCK = 32;
    private static final List<String> WORDS = List.of(
            "river", "window", "seven", "table", "blue", "count", "letter", "north", "file", "green", "stone", "read");

    /** Device pools of 35 window pages and 82 full ones; the sessions' prompts are twice that. */
    private static final String SMALL_DEVICE = """
            max_seq_len: 1024
            max_batch_size: 4
            max_num_tokens: 128
            kv_cache_config:
              max_gpu_total_bytes: 6MiB
              pool_ratio: [0.6, 0.4]
            """;

    private static String words(SplittableRandom random, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : " ").append(WORDS.get(random.nextInt(WORDS.size())));
        }
        return text.toString();
    }

    /** A greedy answer, how long its prompt was, and how much of that was cached. */
    private record Reply(String text, int prompt, int cached) {}

    /** One turn of each session, one session after another; the answers go into the conversations. */
    private static List<Reply> pass(BundledServer server, List<ArrayNode> sessions, int turn) throws Exception {
        List<Reply> replies = new ArrayList<>();
        for (int i = 0; i < sessions.size(); i++) {
            ArrayNode messages = sessions.get(i);
            SplittableRandom random = new SplittableRandom(1000L * turn + i);
            messages.addObject().put("role", "user").put("content", words(random, turn == 1 ? 480 : 20));
            ObjectNode request = Json.mapper().createObjectNode();
            request.put("temperature", 0).put("max_tokens", 16).put("ignore_eos", true);
            request.putObject("conversation_params").put("conversation_id", "session-" + i);
            request.set("messages", messages);
            JsonNode answer = server.json("/v1/chat/completions", request.toString());
            String text = answer.at("/choices/0/message/content").asString();
            messages.addObject().put("role", "assistant").put("content", text);
            replies.add(new Reply(
                    text,
                    answer.at("/usage/prompt_tokens").asInt(),
                    answer.at("/usage/prompt_tokens_details/cached_tokens").asInt()));
        }
        return replies;
    }

    private static List<ArrayNode> sessions() {
        List<ArrayNode> out = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            ArrayNode messages = Json.mapper().createArrayNode();
            messages.addObject().put("role", "system").put("content", "You are agent " + i + " of eight.");
            out.add(messages);
        }
        return out;
    }

    private static List<List<Reply>> passes(BundledServer server) throws Exception {
        List<ArrayNode> sessions = sessions();
        List<List<Reply>> out = new ArrayList<>();
        for (int turn = 1; turn <= 3; turn++) {
            out.add(pass(server, sessions, turn));
        }
        return out;
    }

    private static List<List<String>> texts(List<List<Reply>> passes) {
        return passes.stream().map(p -> p.stream().map(Reply::text).toList()).toList();
    }

    /** The small device with a host tier of four times as much, and more keys. */
    private static String withHost(String more) {
        String own = more.replaceAll("kv_cache_config: \\{(.*)}\n", "");
        String kv =
                more.contains("kv_cache_config") ? more.replaceAll("(?s).*kv_cache_config: \\{(.*)}\n", "  $1\n") : "";
        return own + SMALL_DEVICE + "  host_cache_size: 24MiB\n" + kv;
    }

    private static KvStats.Counters full(BundledServer server) {
        return server.stats().kv().lifeCycles().get(1);
    }

    private static int pages(BundledServer server, Tier tier) {
        return server.stats().kv().pools().stream()
                .filter(p -> p.tier() == tier && p.lifeCycle() == 1)
                .mapToInt(KvStats.Pool::total)
                .sum();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "disable_overlap_scheduler: false\n",
                "  swa_endpoint_track_decode: true\n  preemption: offload\n"
                        + "kv_cache_config: {block_reuse_config: {swa_endpoint_rewind_tokens: 64}}\n",
                "kv_cache_config: {block_reuse_config: {policy: per_conversation, max_num_turns: 2}}\n"
            })
    void theSecondPassOverTwiceTheDeviceComesFromTheHost(String more) throws Exception {
        List<List<String>> cold;
        try (BundledServer twin =
                BundledServer.start("max_seq_len: 1024\nkv_cache_config: {enable_block_reuse: false}\n")) {
            cold = texts(passes(twin));
        }
        try (BundledServer server = BundledServer.start(withHost(more))) {
            List<ArrayNode> sessions = sessions();
            List<List<Reply>> warm = new ArrayList<>();
            warm.add(pass(server, sessions, 1));
            server.awaitIdle();
            int prompts = warm.getFirst().stream().mapToInt(Reply::prompt).sum();
            assertThat(prompts / BLOCK).as("working set in blocks").isGreaterThan(3 * pages(server, Tier.DEVICE) / 2);
            KvStats.Counters before = full(server);
            assertThat(before.offloaded()).as("stored").isPositive();
            warm.add(pass(server, sessions, 2));
            server.awaitIdle();
            KvStats.Counters after = full(server);
            long loaded = after.onboarded() - before.onboarded();
            // Each second prompt is the first with its answer and a little more.
            long fresh = 0;
            for (int i = 0; i < SESSIONS; i++) {
                Reply first = warm.get(0).get(i);
                Reply second = warm.get(1).get(i);
                fresh += (second.prompt() + 16 - first.prompt()) / BLOCK + 1;
                assertThat(second.cached())
                        .as("session %d: cached of %d", i, second.prompt())
                        .isGreaterThan(8 * first.prompt() / 10);
            }
            // What was evicted and asked for either came back or had to be computed again.
            long lost = Math.max(0, after.missed() - before.missed() - fresh);
            assertThat(loaded).as("loaded, with %d lost", lost).isGreaterThan(8 * (loaded + lost) / 10);
            assertThat(loaded).isGreaterThan(pages(server, Tier.DEVICE) / 2);
            warm.add(pass(server, sessions, 3));
            assertThat(texts(warm)).isEqualTo(cold);
            server.awaitIdle();
            assertThat(server.stats().preemptions()).isZero();
        }
    }

    /** R024: nothing is accepted in silence. */
    @Test
    void hostSizesAreServedOrRefusedWithNumbers() throws Exception {
        assertThat(pagesOnHost("0")).isZero();
        assertThat(pagesOnHost("null")).isZero();
        assertThat(pagesOnHost("24MiB")).isGreaterThan(100);
        assertThat(pagesOnHost("1GiB")).isGreaterThan(5000);
        assertThat(refusal("1000"))
                .startsWith("config: kv_cache_config.host_cache_size must be 0 or >= ")
                .endsWith(" (bytes from which on each pool has a page), got 1000 B (test.yaml:9)");
        assertThat(refusal("4000TiB"))
                .matches(
                        "config: kv_cache_config\\.host_cache_size must be <= \\d+ [GM]iB \\(free host memory less 4 GiB\\),"
                                + " got 4000 TiB \\(test\\.yaml:9\\)");
    }

    private static int pagesOnHost(String size) {
        try (BundledServer server = BundledServer.start(SMALL_DEVICE + "  host_cache_size: " + size + "\n")) {
            return pages(server, Tier.HOST);
        }
    }

    private static String refusal(String size) {
        try (BundledServer server = BundledServer.start(SMALL_DEVICE + "  host_cache_size: " + size + "\n")) {
            throw new AssertionError("it started: " + server.url());
        } catch (UserError e) {
            assertThat(e.exitCode()).isEqualTo(UserError.USAGE);
            return String.valueOf(e.getMessage());
        }
    }
}
