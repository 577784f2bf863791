package rondo.agentx.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.agentx.plan.Conversation;
import rondo.agentx.plan.Marker;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.replay.Tree.State;
import rondo.agentx.replay.Tree.Stream;
import rondo.base.TimeSource;

/**
 * Replays plans on lanes: keeps the order of every conversation, counts delays from the end of the previous turn,
 * spawns and joins children, holds turns behind barriers, recycles lanes (agentx-protocol.md §4). One thread calls
 * {@link #tick}; results may be handed in from any thread. It holds no clock and no socket of its own, so tests and
 * the simulator drive it under virtual time.
 */
public final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final long NEVER = Tree.NEVER;
    private static final double NANOS = 1e9;

    private static final Comparator<Stream> BY_DUE = Comparator.comparingLong((Stream s) -> s.due)
            .thenComparingDouble(Stream::recordedStart)
            .thenComparing(s -> s.conversation.id())
            .thenComparingInt(s -> s.tree.play.number());
    private static final Comparator<TurnResult> BY_END = Comparator.comparingLong(TurnResult::end)
            .thenComparing(r -> r.request().stream().id())
            .thenComparingInt(r -> r.request().play().number());

    private final ReplayOptions options;
    private final TraceSampler sampler;
    private final TurnSender sender;
    private final TimeSource clock;
    private final ReplayObserver observer;
    private final Runnable wake;

    private final ConcurrentLinkedQueue<TurnResult> results = new ConcurrentLinkedQueue<>();
    private final TreeSet<Stream> timers = new TreeSet<>(BY_DUE);
    private final Map<Integer, Tree> trees = new LinkedHashMap<>();
    private final Map<String, Integer> passes = new HashMap<>();
    private final Map<TurnRequest, Stream> inFlight = new LinkedHashMap<>();

    private volatile boolean stopAsked;
    private boolean started;
    private boolean sending = true;
    private long deadline = NEVER;
    private long graceEnd = NEVER;
    private long idleSince;
    private int plays;
    private int brokenBarriers;
    private IdleSkips skips = new IdleSkips(0, 0, 0, 0);

    /**
     * @param wake run, on any thread, when a result has come in and a tick is due
     */
    public Dispatcher(
            ReplayOptions options,
            TraceSampler sampler,
            TurnSender sender,
            TimeSource clock,
            ReplayObserver observer,
            Runnable wake) {
        this.options = options;
        this.sampler = sampler;
        this.sender = sender;
        this.clock = clock;
        this.observer = observer;
        this.wake = wake;
    }

    /** Times that idle caps cut short, and by how many seconds. */
    public record IdleSkips(int treeJumps, double treeSeconds, int systemJumps, double systemSeconds) {}

    /** Does everything that is due; returns the nanosecond of the next timer, or {@link Long#MAX_VALUE}. */
    public long tick() {
        long now = clock.nanoTime();
        if (!started) {
            start(now);
        }
        boolean progress = true;
        while (progress) {
            progress = drainResults();
            progress |= limits(now);
            progress |= fireWatchdogs(now);
            progress |= fireTimers(now);
        }
        if (sending && inFlight.isEmpty() && timers.isEmpty()) {
            progress = freeStalled(now);
        }
        return progress ? now : nextTime();
    }

    /** Whether nothing is in flight and nothing will be sent any more. */
    public boolean done() {
        return started && inFlight.isEmpty() && results.isEmpty() && (!sending || trees.isEmpty());
    }

    /** Ends the replay at once: sends nothing more and cuts off what is in flight. From any thread. */
    public void stop() {
        stopAsked = true;
        wake.run();
    }

    /** Requests on the wire. */
    public int inFlight() {
        return inFlight.size();
    }

    /** Live trees. */
    public int liveTrees() {
        return trees.size();
    }

    public IdleSkips idleSkips() {
        return skips;
    }

    /** Turns that were let go because a trace's recorded order contradicts itself. */
    public int brokenBarriers() {
        return brokenBarriers;
    }

    private void start(long now) {
        started = true;
        idleSince = now;
        options.duration().ifPresent(d -> deadline = now + d.toNanos());
        for (int lane = 0; lane < options.lanes(); lane++) {
            play(lane, now);
        }
        capSystemIdle(now);
    }

    private void play(int lane, long now) {
        Optional<SessionPlan> next = sending ? sampler.next() : Optional.empty();
        if (next.isEmpty()) {
            return;
        }
        SessionPlan plan = next.get();
        int pass = passes.merge(plan.traceId(), 1, Integer::sum) - 1;
        Marker marker = Marker.mint(options.cacheBust(), options.benchmarkId(), pass, lane, plan.traceId());
        List<String> ids = plan.conversations().stream()
                .map(c -> UUID.randomUUID().toString())
                .toList();
        Tree tree = new Tree(new Play(plan, plays++, lane, pass, marker, ids));
        trees.put(lane, tree);
        observer.started(tree.play, now);
        schedule(tree.root(), now);
    }

    private void schedule(Stream stream, long due) {
        stream.state = State.TIMED;
        stream.due = due;
        stream.request = new TurnRequest(
                stream.tree.play, stream.index, stream.next, UUID.randomUUID().toString());
        timers.add(stream);
        sender.prepare(stream.request);
    }

    private boolean drainResults() {
        List<TurnResult> batch = new ArrayList<>();
        for (TurnResult result = results.poll(); result != null; result = results.poll()) {
            batch.add(result);
        }
        batch.sort(BY_END);
        batch.forEach(this::onReturn);
        return !batch.isEmpty();
    }

    /** The order of work of agentx-protocol.md §4.8. */
    private void onReturn(TurnResult result) {
        Stream stream = inFlight.remove(result.request());
        if (stream == null) {
            throw new IllegalStateException(
                    "a result came twice: " + result.request().requestId());
        }
        Tree tree = stream.tree;
        tree.inFlight--;
        observer.returned(result);
        long end = result.end();
        if (inFlight.isEmpty()) {
            idleSince = end;
        }
        int turn = stream.next;
        stream.completed.set(turn);
        boolean overflow = result.outcome() instanceof Outcome.Overflow;
        boolean terminal = overflow || result.request().last() || !sending;
        if (terminal) {
            stream.state = State.DONE;
        }
        if (sending) {
            if (stream.index == 0 && !(overflow && !result.request().last())) {
                spawn(tree, turn, end);
            }
            if (!terminal) {
                stream.next = turn + 1;
                double delay = stream.conversation.turns().get(stream.next).delay();
                schedule(stream, end + nanos(delay));
            }
            if (tree.drained()) {
                finish(tree, end);
            } else {
                releaseRetained(tree, end);
                armWatchdog(tree, end);
            }
            capSystemIdle(end);
        } else if (tree.inFlight == 0) {
            finish(tree, end);
        }
    }

    private void spawn(Tree tree, int turn, long end) {
        for (Stream child : tree.streams) {
            Conversation c = child.conversation;
            if (child.state == State.UNBORN && child.index > 0 && c.spawnTurn() == turn) {
                schedule(child, end + nanos(c.startOffset()));
            }
        }
    }

    private void finish(Tree tree, long now) {
        trees.remove(tree.play.lane());
        observer.ended(tree.play, now);
        play(tree.play.lane(), now);
    }

    private long nanos(double seconds) {
        double bounded = options.ignoreDelays()
                ? 0
                : Math.min(seconds, options.delayCapSeconds().orElse(Double.MAX_VALUE));
        return Math.round(bounded * NANOS);
    }

    private boolean fireTimers(long now) {
        boolean any = false;
        while (sending && !timers.isEmpty() && timers.first().due <= now && results.isEmpty()) {
            Stream stream = timers.first();
            timers.remove(stream);
            onDue(stream, now);
            any = true;
        }
        return any;
    }

    private void onDue(Stream stream, long now) {
        Tree tree = stream.tree;
        if (!tree.open(stream)) {
            stream.state = State.RETAINED;
            capSystemIdle(now);
            return;
        }
        dispatch(stream, now);
    }

    private void dispatch(Stream stream, long now) {
        TurnRequest request = stream.request;
        if (request == null) {
            throw new IllegalStateException("nothing prepared for " + stream.conversation.id());
        }
        stream.request = null;
        stream.state = State.IN_FLIGHT;
        stream.tree.inFlight++;
        stream.tree.watchdog = NEVER;
        inFlight.put(request, stream);
        observer.sent(request, stream.due, now);
        sender.send(request, stream.due, this::accept);
    }

    private void accept(TurnResult result) {
        results.add(result);
        wake.run();
    }

    private void releaseRetained(Tree tree, long now) {
        List<Stream> held = tree.streams.stream()
                .filter(s -> s.state == State.RETAINED)
                .sorted(BY_DUE)
                .toList();
        for (Stream stream : held) {
            if (tree.open(stream)) {
                stream.due = Math.max(stream.due, now);
                dispatch(stream, stream.due);
            }
        }
    }

    private void armWatchdog(Tree tree, long now) {
        if (tree.inFlight == 0 && options.treeIdleSeconds().isPresent()) {
            tree.watchdog = now + Math.round(options.treeIdleSeconds().getAsDouble() * NANOS);
        }
    }

    private boolean fireWatchdogs(long now) {
        boolean any = false;
        for (Tree tree : List.copyOf(trees.values())) {
            if (sending && tree.watchdog <= now) {
                tree.watchdog = NEVER;
                advance(tree, now);
                any = true;
            }
        }
        return any;
    }

    /** D5: moves the tree's timers so that one turn goes out now; retained turns do not count as going out. */
    private void advance(Tree tree, long now) {
        while (tree.inFlight == 0) {
            Optional<Stream> first = timers.stream().filter(s -> s.tree == tree).findFirst();
            if (first.isEmpty()) {
                return;
            }
            long by = first.get().due - now;
            if (by > 0) {
                shift(timers.stream().filter(s -> s.tree == tree).toList(), by);
                skips = new IdleSkips(
                        skips.treeJumps + 1, skips.treeSeconds + by / NANOS, skips.systemJumps, skips.systemSeconds);
            }
            timers.remove(first.get());
            onDue(first.get(), now);
        }
    }

    private void shift(List<Stream> streams, long by) {
        timers.removeAll(streams);
        streams.forEach(s -> s.due -= by);
        timers.addAll(streams);
    }

    /** D6: no longer pause of the whole replay than the cap. */
    private void capSystemIdle(long now) {
        if (options.systemIdleSeconds().isEmpty() || !inFlight.isEmpty() || timers.isEmpty() || !results.isEmpty()) {
            return;
        }
        long latest = idleSince + Math.round(options.systemIdleSeconds().getAsDouble() * NANOS);
        long by = timers.first().due - Math.max(latest, now);
        if (by > 0) {
            shift(List.copyOf(timers), by);
            skips = new IdleSkips(
                    skips.treeJumps, skips.treeSeconds, skips.systemJumps + 1, skips.systemSeconds + by / NANOS);
        }
    }

    /** Deadline, grace and stop. */
    private boolean limits(long now) {
        if (sending && (stopAsked || now >= deadline)) {
            sending = false;
            graceEnd = stopAsked ? now : now + options.grace().toNanos();
            timers.clear();
            for (Tree tree : List.copyOf(trees.values())) {
                tree.streams.forEach(s -> forget(s));
                if (tree.inFlight == 0) {
                    finish(tree, now);
                }
            }
            return true;
        }
        if (!sending && (stopAsked || now >= graceEnd) && graceEnd != NEVER) {
            graceEnd = NEVER;
            stopAsked = false;
            List.copyOf(inFlight.keySet()).forEach(sender::cancel);
            return true;
        }
        return false;
    }

    private void forget(Stream stream) {
        @Nullable TurnRequest prepared = stream.request;
        if (prepared != null && stream.state != State.IN_FLIGHT) {
            sender.forget(prepared);
            stream.request = null;
            stream.state = State.DONE;
        }
    }

    /** A trace whose recorded order contradicts itself must not stop its lane for ever: the earliest turn goes. */
    private boolean freeStalled(long now) {
        Optional<Stream> first = trees.values().stream()
                .flatMap(t -> t.streams.stream())
                .filter(s -> s.state == State.RETAINED)
                .min(BY_DUE);
        first.ifPresent(stream -> {
            LOG.warn("bench: barrier_broken conversation={} turn={}", stream.conversation.id(), stream.next);
            brokenBarriers++;
            stream.due = now;
            dispatch(stream, now);
        });
        return first.isPresent();
    }

    private long nextTime() {
        long next = timers.isEmpty() || !sending ? NEVER : timers.first().due;
        for (Tree tree : trees.values()) {
            next = Math.min(next, tree.watchdog);
        }
        return Math.min(next, sending ? deadline : graceEnd);
    }
}
