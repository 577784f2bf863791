package rondo.server.kvevents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import rondo.base.Seeds;
import rondo.base.UserError;
import rondo.engine.EngineHarness;
import rondo.engine.Generation;
import rondo.kv.KvEvent;
import rondo.kv.LifeCycle;
import rondo.kv.Tier;

/** The stream with real subscribers over loopback. */
@Timeout(60)
class KvEventStreamTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(1_500));
    private static final String ANY = "tcp://127.0.0.1:*";
    private static final int B = Conversations.B;

    private static StreamOptions options(StreamOptions.Format format, boolean allGroups) {
        return new StreamOptions(ANY, Optional.of(ANY), 10_000, 100_000, 100_000, "kv@pod@m", format, allGroups);
    }

    private static StreamOptions options() {
        return options(StreamOptions.Format.TRTLLM, false);
    }

    private static KvEventStream open(StreamOptions options) {
        return KvEventStream.open(options, Events.HYBRID, CLOCK);
    }

    private static void step(KvEventStream stream, KvEvent... events) {
        for (KvEvent e : events) {
            stream.accept(0, e);
        }
        stream.stepEnded(0);
    }

    /** R032: what subscribers are told is what the cache holds: tier, block size, parent and tokens. */
    @Test
    void aRouterThatJoinsLateAndReplaysHasExactlyTheCachesBlocks() throws Exception {
        Set<String> media = new HashSet<>();
        for (StreamOptions.Format format : StreamOptions.Format.values()) {
            boolean all = format == StreamOptions.Format.VLLM_MAP;
            Seeds.forEach(3, random -> {
                try (KvEventStream stream = open(options(format, all))) {
                    Tee tee = new Tee(stream, all ? -1 : 1);
                    EngineHarness harness = Conversations.engine(tee);
                    try (harness;
                            Router router = new Router(stream, format, "kv@")) {
                        Conversations.play(harness, random, 30);
                        awaitKept(router, (int) tee.batches);
                        router.resynchronise(tee.batches);
                        Conversations.play(harness, random, 30);
                        router.follow(tee.batches - 1);
                        assertThat(router.lost).isEmpty();
                        assertThat(router.places())
                                .isEqualTo(format == StreamOptions.Format.VLLM ? tee.anonymous() : tee.places);
                        assertThat(router.places()).isNotEmpty();
                        media.addAll(router.media);
                        assertThat(stream.counts().dropped()).isZero();
                    }
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        }
        assertThat(media).as("blocks went to the host too").containsExactlyInAnyOrder("GPU", "CPU");
    }

    /** R138: what a router predicts from events is, to a block, what the server then finds cached. */
    @Test
    void theOverlapThatARouterPredictsIsWithinABlockOfTheCachedTokens() throws Exception {
        CacheShape full = new CacheShape(B, 512, List.of(0));
        Seeds.forEach(3, random -> {
            KvEventStream stream = KvEventStream.open(options(), full, CLOCK);
            Tee tee = new Tee(stream, 0);
            try (stream;
                    EngineHarness harness = Conversations.engine(tee, 60, LifeCycle.full());
                    Router router = new Router(stream, StreamOptions.Format.TRTLLM, "")) {
                List<int[]> prompts = new ArrayList<>(List.of(new int[] {1, 2, 1, 2, 0, 1}));
                for (int i = 0; i < 40; i++) {
                    int[] old = prompts.get(random.nextInt(prompts.size()));
                    int[] prompt = Arrays.copyOf(old, Math.min(50, old.length + random.nextInt(9)));
                    for (int t = old.length; t < prompt.length; t++) {
                        prompt[t] = random.nextInt(3);
                    }
                    prompts.add(prompt);
                    awaitKept(router, (int) tee.batches);
                    router.resynchronise(tee.batches);
                    int predicted = Math.min(router.overlap(prompt, B), prompt.length - 1);
                    Generation g = harness.submit(prompt, 3);
                    harness.runUntilIdle();
                    int cached = EngineHarness.result(g).cachedTokens();
                    assertThat(cached - predicted).as("prompt %d", i).isBetween(0, B - 1);
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void aMessageIsTopicNumberAndPayload() {
        try (KvEventStream stream = open(options());
                ZContext context = new ZContext();
                ZMQ.Socket sub = context.createSocket(SocketType.SUB)) {
            sub.subscribe("kv@pod");
            sub.connect(stream.endpoint());
            sub.setReceiveTimeOut(20);
            byte[] topic = null;
            long sent = 0;
            while (topic == null) { // until the subscription has come through
                step(stream, Events.stored(1, Events.numbered(sent++)));
                topic = sub.recv();
            }
            byte[] number = sub.recv();
            byte[] payload = sub.recv();
            assertThat(sub.hasReceiveMore()).isFalse();
            assertThat(Router.text(topic)).isEqualTo("kv@pod@m");
            assertThat(number).hasSize(8).startsWith(0, 0, 0, 0);
            assertThat(Router.decode(payload)
                            .asArrayValue()
                            .get(0)
                            .asFloatValue()
                            .toDouble())
                    .isEqualTo(1.5);
        }
    }

    @Test
    void theFirstBatchTellsRoutersToForgetAnEarlierProcess() {
        try (KvEventStream stream = open(options());
                Router router = new Router(stream, StreamOptions.Format.TRTLLM, "")) {
            step(stream, Events.stored(1, Events.FIRST));
            step(stream, Events.stored(1, Events.SECOND));
            awaitKept(router, 2);
            router.resynchronise(2);
            assertThat(router.kinds).containsExactly("AllBlocksCleared", "BlockStored", "BlockStored");
        }
    }

    private static void awaitKept(Router router, int batches) {
        Map<Long, byte[]> kept = router.replay(0);
        while (kept.size() < batches) {
            kept = router.replay(0);
        }
    }

    @Test
    void offloadAndOnboardNeverLeaveABlockNowhere() {
        try (KvEventStream stream = open(options());
                Router router = new Router(stream, StreamOptions.Format.TRTLLM, "")) {
            step(stream, Events.stored(1, Events.FIRST));
            step(stream, Events.moved(1, Events.FIRST, Tier.DEVICE, Tier.HOST));
            awaitKept(router, 2);
            router.resynchronise(2);
            long hash = Events.FIRST.key().first64();
            assertThat(router.places())
                    .as("R139: what is on the host is still routable")
                    .containsExactly(new Router.Place(hash, "CPU", 1));
            assertThat(router.kinds).containsExactly("AllBlocksCleared", "BlockStored", "BlockStored", "BlockRemoved");
            step(stream, Events.moved(1, Events.FIRST, Tier.HOST, Tier.DEVICE));
            awaitKept(router, 3);
            router.resynchronise(3);
            assertThat(router.places()).containsExactly(new Router.Place(hash, "GPU", 1));
        }
    }

    @Test
    void whatTheCacheLostIsAGapThatNoReplayFills() {
        try (KvEventStream stream = open(options());
                Router router = new Router(stream, StreamOptions.Format.TRTLLM, "")) {
            step(stream, Events.stored(1, Events.FIRST));
            stream.accept(9, Events.stored(1, Events.SECOND));
            stream.stepEnded(8);
            awaitKept(router, 2);
            router.resynchronise(3);
            assertThat(router.applied).containsExactly(0L, 2L);
            assertThat(router.lost).containsExactly(1L);
            assertThat(stream.counts()).isEqualTo(new KvEvents.Counts(10, 8));
        }
    }

    @Test
    void aFullQueueDropsTheBatchButUsesItsNumber() {
        StreamOptions one =
                new StreamOptions(ANY, Optional.of(ANY), 1_000_000, 10, 1, "", StreamOptions.Format.TRTLLM, false);
        try (KvEventStream stream = open(one);
                Router router = new Router(stream, StreamOptions.Format.TRTLLM, "")) {
            long sent = 0;
            while (stream.counts().dropped() == 0) { // one at least finds the queue full
                for (int i = 0; i < 1000; i++) {
                    step(stream, Events.stored(1, Events.numbered(sent++)));
                }
            }
            long steps = sent;
            awaitKept(router, (int) (steps - stream.counts().dropped()));
            router.resynchronise(steps);
            assertThat(router.applied.size() + (long) router.lost.size()).isEqualTo(steps);
            assertThat((long) router.lost.size()).isEqualTo(stream.counts().dropped());
            assertThat(router.applied).isSorted();
        }
    }

    @Test
    void replayKeepsTheLastStepsOnlyAndRefusesWhatIsNoRequest() {
        StreamOptions few = new StreamOptions(ANY, Optional.of(ANY), 3, 10, 100, "", StreamOptions.Format.VLLM, false);
        try (KvEventStream stream = open(few);
                Router router = new Router(stream, StreamOptions.Format.VLLM, "");
                ZContext context = new ZContext();
                ZMQ.Socket stranger = context.createSocket(SocketType.DEALER)) {
            stranger.connect(stream.replayEndpoint());
            stranger.send("hello");
            stranger.sendMore(new byte[0]);
            stranger.send(new byte[7]);
            for (int i = 0; i < 10; i++) {
                step(stream, Events.stored(1, Events.numbered(i)));
            }
            while (!router.replay(0).containsKey(9L)) {
                Thread.onSpinWait();
            }
            assertThat(router.replay(0).keySet()).containsExactly(7L, 8L, 9L);
            assertThat(router.replay(9).keySet()).containsExactly(9L);
            assertThat(router.replay(10)).isEmpty();
            assertThat(router.replay(-1)).isEmpty();
        }
    }

    @Test
    void aSubscriberThatNeverReadsHoldsNobodyUp() {
        StreamOptions tight =
                new StreamOptions(ANY, Optional.of(ANY), 10, 1, 1_000_000, "", StreamOptions.Format.TRTLLM, false);
        try (KvEventStream stream = open(tight);
                ZContext context = new ZContext();
                ZMQ.Socket slow = context.createSocket(SocketType.SUB);
                Router router = new Router(stream, StreamOptions.Format.TRTLLM, "")) {
            slow.setRcvHWM(1);
            slow.setReceiveBufferSize(4096);
            slow.subscribe("");
            slow.connect(stream.endpoint());
            slow.setReceiveTimeOut(20);
            long sent = 0;
            while (slow.recv() == null) { // it is connected, and takes nothing from now on
                step(stream, Events.stored(1, Events.numbered(sent++)));
            }
            for (int i = 0; i < 50_000; i++) {
                step(stream, Events.stored(1, Events.numbered(sent++)));
            }
            while (!router.replay(sent - 1).containsKey(sent - 1)) {
                Thread.onSpinWait();
            }
            assertThat(stream.counts()).isEqualTo(new KvEvents.Counts(sent, 0));
        }
    }

    /** R156: what is configured and cannot start is an error at the start, never a server that says nothing. */
    @Test
    void anEndpointInUseIsOneClearError() {
        try (KvEventStream stream = open(options())) {
            StreamOptions same = new StreamOptions(
                    stream.endpoint(), Optional.empty(), 1, 1, 1, "", StreamOptions.Format.TRTLLM, false);
            UserError error = catchThrowableOfType(UserError.class, () -> open(same));
            assertThat(error.exitCode()).isEqualTo(UserError.PORT);
            assertThat(error)
                    .hasMessage("cannot bind kv_cache_config.kv_events_config.endpoint " + stream.endpoint()
                            + ": the port is in use, choose another");
            StreamOptions replay = new StreamOptions(
                    ANY, Optional.of(stream.replayEndpoint()), 1, 1, 1, "", StreamOptions.Format.TRTLLM, false);
            assertThat(catchThrowableOfType(UserError.class, () -> open(replay)))
                    .hasMessageStartingWith("cannot bind kv_cache_config.kv_events_config.replay_endpoint tcp://");
        }
    }

    @Test
    void aStreamTellsHowItIsRead() {
        try (KvEventStream stream = open(options())) {
            assertThat(stream.about())
                    .containsExactly(
                            Map.entry("hash_algo", "v2_sha256_64"),
                            Map.entry("format", "trtllm"),
                            Map.entry("topic", "kv@pod@m"),
                            Map.entry("endpoint", stream.endpoint()),
                            Map.entry("replay_endpoint", stream.replayEndpoint()));
        }
    }

    @Test
    void anAddressOfAnotherMachineAndAnUnknownHostAreClearErrors() {
        for (String endpoint : List.of("tcp://192.0.2.1:5557", "tcp://no-such-host.invalid:5557")) {
            StreamOptions elsewhere =
                    new StreamOptions(endpoint, Optional.empty(), 1, 1, 1, "", StreamOptions.Format.TRTLLM, false);
            assertThat(catchThrowableOfType(UserError.class, () -> open(elsewhere)))
                    .hasMessageStartingWith("cannot bind kv_cache_config.kv_events_config.endpoint " + endpoint + ": ")
                    .hasMessageMatching("[^\\n]*(none of this machine's|host is not known), choose another");
        }
    }

    @Test
    void aRouterThatOutlivesTheServerBeginsAnew() {
        KvEventStream old = open(options());
        String endpoint = old.endpoint();
        String replay = old.replayEndpoint();
        try (Router router = new Router(endpoint, replay, StreamOptions.Format.TRTLLM, "")) {
            long before = 0;
            do { // until its subscription has come through
                step(old, Events.stored(1, Events.numbered(before++)));
            } while (!router.takeOne(50));
            while (before < 2000) {
                step(old, Events.stored(1, Events.numbered(before++)));
            }
            router.follow(before - 1);
            assertThat(router.places()).hasSize(2000);
            old.close();
            StreamOptions again = new StreamOptions(
                    endpoint, Optional.of(replay), 2000, 100, 100, "kv@pod@m", StreamOptions.Format.TRTLLM, false);
            try (KvEventStream now = open(again)) {
                long sent = 0;
                do { // until its subscription has come through again
                    step(now, Events.stored(1, Events.numbered(10_000 + sent++)));
                } while (!router.takeOne(50));
                router.follow(sent - 1);
                assertThat(router.restarts).isOne();
                assertThat(router.places()).allMatch(p -> p.hash() >= 10_000).hasSize((int) sent);
            }
        }
    }

    @Test
    void closingSendsWhatIsQueuedAndNeverHangs() {
        KvEventStream stream = open(options());
        try (Router router = new Router(stream, StreamOptions.Format.TRTLLM, "")) {
            step(stream, Events.stored(1, Events.FIRST));
            awaitKept(router, 1);
            router.resynchronise(1);
            for (int i = 0; i < 1000; i++) {
                step(stream, Events.stored(1, Events.numbered(i)));
            }
            stream.close();
            router.follow(1000);
            assertThat(router.places()).hasSize(1001);
        }
        stream.close(); // a second time does nothing
    }

    @Test
    void aBoundSocketThatNobodyEverConnectsToClosesAtOnce() {
        for (int i = 0; i < 20; i++) {
            KvEventStream stream = open(options());
            step(stream, Events.stored(1, Events.FIRST));
            stream.close();
        }
    }
}
