package rondo.agentx.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import rondo.agentx.plan.SessionPlan;

/** Runs a dispatcher under a clock that jumps from event to event, with a sender that answers by script. */
final class VirtualReplay implements TurnSender {
    /** What the server does with a request. */
    record Reply(double seconds, Outcome outcome) {
        static Reply after(double seconds) {
            return new Reply(seconds, Outcome.SUCCESS);
        }
    }

    private record Pending(
            long at, int order, TurnRequest request, Reply reply, long due, long start, Consumer<TurnResult> done) {}

    /** Dispatch and end of a turn, seconds. */
    record Span(double sent, double ended) {}

    private final PriorityQueue<Pending> pending =
            new PriorityQueue<>((a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Integer.compare(a.order, b.order));
    private final Function<TurnRequest, Reply> script;
    private final ReplayOptions options;
    final TreeMap<String, List<Span>> spans = new TreeMap<>();
    final List<Play> plays = new ArrayList<>();
    final List<TurnResult> results = new ArrayList<>();
    final List<Double> playEnds = new ArrayList<>();
    int mostTrees;
    Dispatcher dispatcher;
    private long now = 5_000_000_000L;
    private final long origin = now;
    private int order;

    VirtualReplay(ReplayOptions options, Function<TurnRequest, Reply> script) {
        this.options = options;
        this.script = script;
    }

    VirtualReplay run(TraceSampler sampler) {
        dispatcher = new Dispatcher(
                options,
                sampler,
                this,
                () -> now,
                new ReplayObserver() {
                    @Override
                    public void started(Play play, long at) {
                        plays.add(play);
                    }

                    @Override
                    public void returned(TurnResult result) {
                        results.add(result);
                    }

                    @Override
                    public void ended(Play play, long at) {
                        playEnds.add(seconds(at));
                    }
                },
                () -> {});
        for (int steps = 0; steps < 1_000_000; steps++) {
            long next = dispatcher.tick();
            mostTrees = Math.max(mostTrees, dispatcher.liveTrees());
            if (dispatcher.done()) {
                return this;
            }
            Pending first = pending.peek();
            if (first != null && first.at <= next) {
                now = Math.max(now, first.at);
                pending.poll();
                deliver(first);
            } else if (next == Long.MAX_VALUE) {
                throw new IllegalStateException("the replay stands still");
            } else {
                now = Math.max(now, next);
            }
        }
        throw new IllegalStateException("the replay does not end");
    }

    VirtualReplay run(SessionPlan... plans) {
        return run(TraceSampler.endless(List.of(plans), TraceSampler.Order.SEQUENTIAL, 1)
                .limit(plans.length));
    }

    private void deliver(Pending p) {
        spans.computeIfAbsent(name(p.request), k -> new ArrayList<>()).add(new Span(seconds(p.start), seconds(p.at)));
        p.done.accept(TurnResult.without(p.request, p.reply.outcome(), p.due, p.start, p.at));
    }

    /** Conversation suffix (empty for the root) and turn, as {@code a[1]}. */
    static String name(TurnRequest request) {
        String id = request.stream().id();
        int cut = id.indexOf("::");
        String suffix = cut < 0 ? "root" : id.substring(cut + 2).replace("sa:", "");
        return suffix + "[" + request.turn() + "]";
    }

    double seconds(long nanos) {
        return (nanos - origin) / 1e9;
    }

    /** When the only play of a turn was sent, seconds from the start. */
    double sent(String name) {
        return spans.get(name).getFirst().sent();
    }

    double ended(String name) {
        return spans.get(name).getFirst().ended();
    }

    @Override
    public void send(TurnRequest request, long due, Consumer<TurnResult> done) {
        Reply reply = script.apply(request);
        long at = now + Math.round(reply.seconds() * 1e9);
        pending.add(new Pending(at, order++, request, reply, due, now, done));
    }

    @Override
    public void cancel(TurnRequest request) {
        Pending p = pending.stream()
                .filter(x -> x.request.equals(request))
                .findFirst()
                .orElseThrow();
        pending.remove(p);
        pending.add(new Pending(now, order++, request, new Reply(0, Outcome.CANCELLED), p.due, p.start, p.done));
    }
}
