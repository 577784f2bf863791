package rondo.server.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import rondo.engine.StepEvents;
import rondo.kv.KvEvent;
import rondo.kv.Tier;

/** Feeds the stream and keeps what the cache itself has said, for comparison. */
final class Tee implements StepEvents {
    final KvEventStream stream;
    /** The life cycle of which is told; all if negative. */
    final int group;

    final Set<Router.Place> places = new HashSet<>();
    long batches;
    private boolean any;

    Tee(KvEventStream stream, int group) {
        this.stream = stream;
        this.group = group;
    }

    @Override
    public void accept(long id, KvEvent event) {
        stream.accept(id, event);
        switch (event) {
            case KvEvent.Created c -> {}
            case KvEvent.Raised r -> {}
            case KvEvent.Stored s ->
                s.blocks()
                        .forEach(b -> change(
                                s.lifeCycle(), b.key(), s.tier(), b.tokens().length() == Conversations.B, true));
            case KvEvent.Removed r ->
                r.blocks().forEach(g -> change(r.lifeCycle(), g.key(), g.tier(), g.whole(), false));
            case KvEvent.Moved m -> {
                boolean whole = m.block().tokens().length() == Conversations.B;
                change(m.lifeCycle(), m.block().key(), m.from(), whole, false);
                change(m.lifeCycle(), m.block().key(), m.to(), whole, true);
            }
            case KvEvent.Cleared c -> any = true;
        }
    }

    private void change(int lc, KvEvent.Key key, Tier tier, boolean whole, boolean add) {
        if (!whole || (group >= 0 && lc != group)) {
            return;
        }
        any = true;
        Router.Place place = new Router.Place(key.first64(), tier == Tier.HOST ? "CPU" : "GPU", lc);
        assertThat(add ? places.add(place) : places.remove(place)).isTrue();
    }

    @Override
    public void stepEnded(int lost) {
        stream.stepEnded(lost);
        batches += any ? 1 : 0;
        any = false;
    }

    /** The places for a form that tells no groups. */
    Set<Router.Place> anonymous() {
        Set<Router.Place> out = new HashSet<>();
        places.forEach(p -> out.add(new Router.Place(p.hash(), p.medium(), -1)));
        return out;
    }
}
