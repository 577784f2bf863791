package rondo.cli;

import java.util.ArrayList;
import java.util.List;
import rondo.agentx.metrics.RequestRecord;
import rondo.agentx.metrics.RunSummary;
import rondo.agentx.plan.PromptIds;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.replay.Dispatcher;
import rondo.agentx.replay.Play;
import rondo.agentx.replay.ReplayObserver;
import rondo.agentx.replay.ReplayOptions;
import rondo.agentx.replay.TraceSampler;
import rondo.agentx.replay.TurnResult;
import rondo.base.TimeSource;
import rondo.cli.config.ServeConfig;
import rondo.engine.Engine;
import rondo.engine.EngineLoop;
import rondo.engine.EngineOptions;
import rondo.engine.EngineStats;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.ModelFacts;
import rondo.kv.KvCache;
import rondo.kv.KvCacheManager;
import rondo.sim.CostModel;
import rondo.sim.CostModelExecutor;
import rondo.sim.Replies;
import rondo.sim.VirtualClock;

/**
 * A replay against the real scheduler and the real memory, with steps that cost virtual time: the engine's loop and the
 * replay's take turns on one thread and one clock, which jumps from event to event.
 */
final class Simulation {
    /** Where virtual time begins; not zero, which stands for "never" in some records. */
    private static final long BEGIN = 1_000_000_000L;
    /** Turns of both loops without an event after which something is broken. */
    private static final int STANDSTILL = 1_000_000;

    /**
     * What is simulated.
     *
     * @param model       the model's facts
     * @param memory      pools and longest sequence
     * @param plays       sessions played in all
     * @param continued   whether a conversation goes on from the reply; else replies are discarded, as in AgentX
     * @param seed        of the tokens
     */
    record Setup(
            ServeConfig config,
            ModelFacts model,
            MemoryPlan memory,
            CostModel cost,
            List<SessionPlan> plans,
            int plays,
            ReplayOptions replay,
            boolean continued,
            long seed) {}

    private final Setup setup;
    private final VirtualClock clock = new VirtualClock(BEGIN);
    private final List<RequestRecord> records = new ArrayList<>();

    Simulation(Setup setup) {
        this.setup = setup;
    }

    /** Replies come from the sender, which is made after the executor that asks it. */
    private static final class LateReplies implements Replies {
        private Replies from = (seed, position) -> 0;

        @Override
        public int token(long seed, int position) {
            return from.token(seed, position);
        }
    }

    /** Runs to the end; {@code wall} measures how long that takes. */
    SimulationResult run(TimeSource wall) {
        long begin = wall.nanoTime();
        MemoryPlan memory = setup.memory();
        EngineOptions options = memory.engineOptions(setup.config(), true);
        LateReplies replies = new LateReplies();
        try (CostModelExecutor executor = new CostModelExecutor(
                setup.model(), new MemoryBudget(memory.bytes(), memory.hostBytes()), setup.cost(), replies, clock)) {
            executor.open(memory.pools(), options.limits());
            KvCache kv = new KvCacheManager(
                    memory.pools(),
                    setup.config().kv().options(options.maxNumTokens()),
                    options.maxBatchSize(),
                    options.maxSeqLen());
            try (Engine engine = Engine.open(executor, kv, options, clock)) {
                engine.tick();
                EngineTurnSender sender = new EngineTurnSender(
                        engine, new PromptIds(setup.model().vocabulary(), setup.seed(), setup.continued()));
                replies.from = sender;
                replay(engine, executor, sender);
                engine.tick();
                EngineStats stats = engine.stats();
                return new SimulationResult(
                        RunSummary.of(records),
                        stats,
                        kv.stats(),
                        executor.computedTokens(),
                        executor.busyNanos(),
                        executor.copyWaitNanos(),
                        clock.nanoTime() - BEGIN,
                        wall.nanoTime() - begin);
            }
        }
    }

    private void replay(EngineLoop engine, CostModelExecutor executor, EngineTurnSender sender) {
        boolean[] woken = new boolean[1];
        TraceSampler sampler = TraceSampler.endless(setup.plans(), TraceSampler.Order.SEQUENTIAL, setup.seed())
                .limit(setup.plays());
        Dispatcher dispatcher =
                new Dispatcher(setup.replay(), sampler, sender, clock, new Watch(sender), () -> woken[0] = true);
        int still = 0;
        while (true) {
            woken[0] = false;
            long before = clock.nanoTime();
            long next = dispatcher.tick();
            if (dispatcher.done()) {
                return;
            }
            long due = engine.tick();
            if (clock.nanoTime() > before || woken[0] || executor.stepsInFlight() > 0) {
                still = 0;
                continue;
            }
            // Nothing has happened, so nothing will before the next timer or the landing of a copy.
            long event = Math.min(next, Math.min(executor.nextLanding(), due > before ? due : EngineLoop.IDLE));
            if (event != EngineLoop.IDLE) {
                clock.advanceTo(event);
            } else if (due == EngineLoop.IDLE) {
                throw new IllegalStateException("the simulation stands still with " + dispatcher.inFlight()
                        + " requests in flight at " + (clock.nanoTime() - BEGIN) + " ns");
            }
            // An engine that is stuck gives up by itself after some turns; one that never does is broken.
            still = clock.nanoTime() > before ? 0 : still + 1;
            if (still > STANDSTILL) {
                throw new IllegalStateException("the engine turns without an event");
            }
        }
    }

    private final class Watch implements ReplayObserver {
        private final EngineTurnSender sender;

        Watch(EngineTurnSender sender) {
            this.sender = sender;
        }

        @Override
        public void returned(TurnResult result) {
            records.add(new RequestRecord(
                    result,
                    result.usage().promptTokens().orElse(result.request().what().promptTokens()),
                    result.usage().completionTokens().orElse(0),
                    true));
        }

        @Override
        public void ended(Play play, long now) {
            sender.forget(play);
        }
    }
}
