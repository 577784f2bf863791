package rondo.server;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import rondo.engine.Distribution;
import rondo.engine.EngineStats;
import rondo.kv.KvStats;
import rondo.server.kvevents.KvEvents;
import rondo.text.PrefixTokenizationCache;

/** Counters and histograms of the front, and the Prometheus text of them and of the engine's snapshot (§3.5). */
final class Metrics {
    private static final double[] LONG_TIMES = {
        0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680
    };

    private static final double[] FIRST_TOKEN = {
        .001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560
    };
    private static final double[] INTER_TOKEN = {
        .01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80
    };
    private static final String END_TO_END = "e2e_request_latency_seconds";
    private static final String QUEUE_TIME = "request_queue_time_seconds";
    private static final String TO_FIRST_TOKEN = "time_to_first_token_seconds";
    private static final String PER_TOKEN = "time_per_output_token_seconds";

    final Histogram endToEnd;
    final Histogram queueTime;
    final Histogram firstToken;
    final Histogram interToken;
    /** Ended requests by the one reason of their end. */
    private final Map<String, LongAdder> ends = new ConcurrentSkipListMap<>();

    private final MetricHelp help = MetricHelp.load();
    private final LongAdder completed = new LongAdder();
    private final LongAdder unauthorized = new LongAdder();

    /** @param buckets bounds of histograms by name; trtllm-serve's for those that are not in it */
    Metrics(Map<String, List<Double>> buckets) {
        endToEnd = histogram(buckets, END_TO_END, LONG_TIMES);
        queueTime = histogram(buckets, QUEUE_TIME, LONG_TIMES);
        firstToken = histogram(buckets, TO_FIRST_TOKEN, FIRST_TOKEN);
        interToken = histogram(buckets, PER_TOKEN, INTER_TOKEN);
    }

    private static Histogram histogram(Map<String, List<Double>> buckets, String name, double... otherwise) {
        List<Double> given = buckets.get(name);
        return new Histogram(
                given == null
                        ? otherwise
                        : given.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** One request is over; every completion request ends here exactly once. */
    void ended(String reason, Answer answer, long tookNanos, long startNanos) {
        count(reason);
        if (reason.equals("cancelled") || reason.equals("error")) {
            return;
        }
        completed.increment();
        endToEnd.record(tookNanos / 1e9);
        for (Choice choice : answer.choices) {
            Timings t = choice.timings();
            if (t.firstScheduled > 0) {
                queueTime.record(Math.max(0, t.firstScheduled - t.arrival) / 1e9);
            }
            if (t.firstToken > 0) {
                firstToken.record(Math.max(0, t.firstToken - startNanos) / 1e9);
            }
        }
    }

    /** A request without a good key. */
    void unauthorized() {
        unauthorized.increment();
    }

    /** A completion request was refused before the engine had it. */
    void rejected() {
        count("rejected");
    }

    private void count(String reason) {
        ends.computeIfAbsent(reason, r -> new LongAdder()).increment();
    }

    /** The exposition text; with {@code alias} each metric a second time under the name that trtllm-serve has. */
    String prometheus(
            String model,
            EngineStats stats,
            KvEvents.Counts events,
            PrefixTokenizationCache.Stats tokenization,
            boolean alias) {
        StringBuilder out = new StringBuilder(16 << 10);
        String label = "model_name=\"" + model.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        for (String prefix : alias ? new String[] {"rondo_", "trtllm_"} : new String[] {"rondo_"}) {
            shared(new Writer(out, prefix, label, help), stats);
        }
        Writer own = new Writer(out, "rondo_", label, help);
        own(own, stats, tokenization);
        own.counter("kv_events_total", events.taken());
        own.counter("kv_events_dropped_total", events.dropped());
        return out.toString();
    }

    /** One exposition, line by line. */
    private record Writer(StringBuilder out, String prefix, String label, MetricHelp help) {
        void type(String name, String type) {
            out.append("# HELP ")
                    .append(prefix)
                    .append(name)
                    .append(' ')
                    .append(help.of(name))
                    .append('\n');
            out.append("# TYPE ")
                    .append(prefix)
                    .append(name)
                    .append(' ')
                    .append(type)
                    .append('\n');
        }

        void counter(String name, double value) {
            type(name, "counter");
            sample(name, "", value);
        }

        void gauge(String name, double value) {
            type(name, "gauge");
            sample(name, "", value);
        }

        void sample(String name, String labels, double value) {
            out.append(prefix)
                    .append(name)
                    .append('{')
                    .append(label)
                    .append(labels)
                    .append("} ");
            out.append(Values.number(value)).append('\n');
        }

        void distribution(String name, String labels, Distribution d) {
            long total = 0;
            for (int i = 0; i < d.counts().length; i++) {
                total += d.counts()[i];
                String bound = i == d.bounds().length ? "+Inf" : Values.number(d.bounds()[i]);
                sample(name + "_bucket", labels + ",le=\"" + bound + "\"", total);
            }
            sample(name + "_sum", labels, d.sum());
            sample(name + "_count", labels, total);
        }

        void histogram(String name, Histogram histogram) {
            type(name, "histogram");
            histogram.write(out, prefix + name, label);
        }
    }

    private void shared(Writer w, EngineStats stats) {
        w.type("request_success_total", "counter");
        long errors = 0;
        for (Map.Entry<String, LongAdder> end : ends.entrySet()) {
            if (end.getKey().equals("error") || end.getKey().equals("rejected")) {
                errors += end.getValue().sum();
            } else if (!end.getKey().equals("cancelled")) {
                String reason = ",finished_reason=\"" + end.getKey() + "\"";
                w.sample("request_success_total", reason, end.getValue().sum());
            }
        }
        w.counter("request_error_total", errors);
        w.counter("num_requests_completed_total", completed.sum());
        w.counter("prompt_tokens_total", stats.promptTokens());
        w.counter("generation_tokens_total", stats.generatedTokens());
        w.counter("prompt_cached_tokens_total", stats.cachedTokens());
        // Nobody drafts yet; the names are there for dashboards.
        w.counter("spec_decode_drafted_tokens_total", 0);
        w.counter("spec_decode_accepted_tokens_total", 0);
        w.gauge("kv_cache_hit_rate", stats.kv().blockHitRate());
        w.gauge("kv_cache_utilization", stats.kv().utilisation());
        w.gauge("num_requests_running", stats.running());
        w.gauge("num_requests_waiting", stats.waiting());
        w.gauge("num_paused_requests", stats.paused());
        w.histogram(END_TO_END, endToEnd);
        w.histogram(QUEUE_TIME, queueTime);
        w.histogram(TO_FIRST_TOKEN, firstToken);
        w.histogram(PER_TOKEN, interToken);
    }

    private void own(Writer w, EngineStats stats, PrefixTokenizationCache.Stats tokenization) {
        w.type("requests_total", "counter");
        ends.forEach((reason, n) -> w.sample("requests_total", ",reason=\"" + reason + "\"", n.sum()));
        w.counter("unauthorized_total", unauthorized.sum());
        w.counter("steps_total", stats.steps());
        w.counter("sequences_finished_total", stats.finished());
        w.counter("sequences_cancelled_total", stats.cancelled());
        w.counter("sequences_failed_total", stats.failed());
        EngineStats.Preemption preemption = stats.preemption();
        w.type("preemptions_total", "counter");
        w.sample("preemptions_total", ",kind=\"suspend\"", preemption.suspensions());
        w.sample("preemptions_total", ",kind=\"recompute\"", preemption.recomputations());
        w.counter("recomputed_tokens_total", preemption.recomputedTokens());
        w.counter("preempted_reused_tokens_total", preemption.reusedTokens());
        w.counter("pipeline_drains_total", preemption.drains());
        w.counter("scheduler_stalls_total", preemption.stalls());
        steps(w, stats.timing());
        w.gauge("num_tokens_waiting", stats.waitingTokens());
        pages(w, stats);
        w.counter("tokenization_cache_hits_total", tokenization.hits());
        w.counter("tokenization_cache_misses_total", tokenization.misses());
        // Its cuts are exact, so there is no seam whose check could fail.
        w.counter("tokenization_cache_resync_failures_total", 0);
    }

    private static void steps(Writer w, EngineStats.Steps timing) {
        w.type("step_seconds", "histogram");
        w.distribution("step_seconds", ",phase=\"plan\"", timing.planSeconds());
        w.distribution("step_seconds", ",phase=\"device\"", timing.deviceSeconds());
        w.distribution("step_seconds", ",phase=\"sample\"", timing.sampleSeconds());
        w.type("batch_tokens", "histogram");
        w.distribution("batch_tokens", ",kind=\"prefill\"", timing.prefillTokens());
        w.distribution("batch_tokens", ",kind=\"decode\"", timing.decodeTokens());
    }

    private static void pages(Writer w, EngineStats stats) {
        w.type("kv_pages", "gauge");
        for (KvStats.Pool pool : stats.kv().pools()) {
            String at = ",life_cycle=\"" + pool.lifeCycle() + "\",tier=\""
                    + (pool.tier() == rondo.kv.Tier.HOST ? "host" : "device") + "\",state=\"";
            w.sample("kv_pages", at + "free\"", pool.free());
            w.sample("kv_pages", at + "evictable\"", pool.evictable());
            w.sample("kv_pages", at + "held\"", pool.held());
        }
        KvStats.Counters kv = stats.kv().counters();
        w.counter("kv_allocated_blocks_total", kv.allocated());
        w.counter("kv_reused_blocks_total", kv.reusedFull() + kv.reusedPartial());
        w.counter("kv_missed_blocks_total", kv.missed());
        w.counter("kv_dropped_pages_total", kv.dropped());
        w.counter("kv_offload_pages_total", kv.offloaded());
        w.counter("kv_offload_bytes_total", stats.kv().bytes(KvStats.Counters::offloaded));
        w.counter("kv_onboard_pages_total", kv.onboarded());
        w.counter("kv_onboard_bytes_total", stats.kv().bytes(KvStats.Counters::onboarded));
        w.counter("kv_copy_wait_seconds_total", stats.preemption().copyWaitNanos() / 1e9);
    }
}
