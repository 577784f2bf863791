package rondo.agentx.replay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import rondo.agentx.plan.SessionPlan;

/** Chooses the trace of each play; one serves all lanes (agentx-protocol.md C15). */
@FunctionalInterface
public interface TraceSampler {
    /** The next trace to play; empty: there are no more. */
    Optional<SessionPlan> next();

    /** In which order traces are drawn. */
    enum Order {
        SEQUENTIAL,
        SHUFFLE,
        RANDOM
    }

    /** Draws from {@code plans} for ever. */
    static TraceSampler endless(List<SessionPlan> plans, Order order, long seed) {
        return switch (order) {
            case SEQUENTIAL -> new Passes(plans, false, seed);
            case SHUFFLE -> new Passes(plans, true, seed);
            case RANDOM -> {
                SplittableRandom random = new SplittableRandom(seed);
                yield () -> Optional.of(plans.get(random.nextInt(plans.size())));
            }
        };
    }

    /** Only the first {@code plays} draws. */
    default TraceSampler limit(int plays) {
        TraceSampler all = this;
        return new TraceSampler() {
            private int left = plays;

            @Override
            public Optional<SessionPlan> next() {
                return left-- > 0 ? all.next() : Optional.empty();
            }
        };
    }

    /** Pass after pass over the traces, in load order or shuffled anew each time. */
    final class Passes implements TraceSampler {
        private final List<SessionPlan> plans;
        private final boolean shuffle;
        private final Random random;
        private int at;

        private Passes(List<SessionPlan> plans, boolean shuffle, long seed) {
            this.plans = new ArrayList<>(plans);
            this.shuffle = shuffle;
            this.random = new Random(seed);
        }

        @Override
        public Optional<SessionPlan> next() {
            if (at == 0 && shuffle) {
                Collections.shuffle(plans, random);
            }
            SessionPlan plan = plans.get(at);
            at = (at + 1) % plans.size();
            return Optional.of(plan);
        }
    }
}
