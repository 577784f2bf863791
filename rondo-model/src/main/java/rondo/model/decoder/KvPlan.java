package rondo.model.decoder;

import java.util.ArrayList;
import java.util.List;
import rondo.kv.KvLayout;
import rondo.kv.LifeCycle;
import rondo.model.arch.AttentionSpec;
import rondo.model.arch.DecoderSpec;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvSpec;

/**
 * Where each layer's K and V lie: layers with the same window form a life cycle, numbered by first appearance.
 *
 * @param group per layer: its life cycle
 * @param place per layer: its index within the life cycle
 */
record KvPlan(KvSpec spec, KvLayout layout, List<Integer> group, List<Integer> place) {
    static KvPlan of(DecoderSpec decoder, ElementType type, int tokensPerBlock) {
        List<KvSpec.Group> groups = new ArrayList<>();
        List<Integer> group = new ArrayList<>();
        List<Integer> place = new ArrayList<>();
        for (var layer : decoder.layers()) {
            AttentionSpec a = layer.attention();
            int g = 0;
            while (g < groups.size() && groups.get(g).window() != a.window()) {
                g++;
            }
            if (g == groups.size()) {
                groups.add(new KvSpec.Group(0, a.kvHeads(), a.headDim(), a.window()));
            }
            KvSpec.Group old = groups.get(g);
            if (old.kvHeads() != a.kvHeads() || old.headDim() != a.headDim()) {
                throw new IllegalArgumentException("layers with window " + a.window() + " differ in their KV heads");
            }
            group.add(g);
            place.add(old.layers());
            groups.set(g, new KvSpec.Group(old.layers() + 1, old.kvHeads(), old.headDim(), old.window()));
        }
        KvSpec spec = new KvSpec(type, tokensPerBlock, groups);
        List<LifeCycle> lifeCycles = new ArrayList<>();
        List<Long> pageBytes = new ArrayList<>();
        for (int g = 0; g < groups.size(); g++) {
            lifeCycles.add(new LifeCycle(groups.get(g).window(), 0));
            pageBytes.add(spec.pageBytes(g));
        }
        return new KvPlan(spec, new KvLayout(tokensPerBlock, lifeCycles, pageBytes), group, place);
    }
}
