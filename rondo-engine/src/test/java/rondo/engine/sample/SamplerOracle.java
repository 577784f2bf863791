package rondo.engine.sample;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rules of sampling written down in the plainest way, in float64 from softmax on. */
final class SamplerOracle {
    private static final double NEAR = 1e-6;

    int token;
    /** A threshold or the draw lies so near a boundary that an implementation may differ. */
    boolean ambiguous;

    SamplerOracle(
            float[] logits,
            SamplingParams p,
            int[] prompt,
            int[] output,
            java.util.function.IntPredicate allowed,
            double u) {
        int v = logits.length;
        float[] x = logits.clone();
        for (int i = 0; i < p.bias().size(); i++) {
            x[p.bias().id(i)] += p.bias().amount(i) == -100
                    ? Float.NEGATIVE_INFINITY
                    : p.bias().amount(i);
        }
        Map<Integer, Integer> counts = new HashMap<>();
        Set<Integer> seen = new HashSet<>();
        for (int t : prompt) {
            seen.add(t);
        }
        for (int t : output) {
            seen.add(t);
            counts.merge(t, 1, Integer::sum);
        }
        for (int t : seen) {
            x[t] = x[t] > 0 ? x[t] / p.repetitionPenalty() : x[t] * p.repetitionPenalty();
        }
        for (Map.Entry<Integer, Integer> e : counts.entrySet()) {
            x[e.getKey()] -= p.frequencyPenalty() * e.getValue() + p.presencePenalty();
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < v; i++) {
            if (!allowed.test(i)) {
                x[i] = Float.NEGATIVE_INFINITY;
            }
            if (p.temperature() >= 1e-5f) {
                x[i] /= p.temperature();
            }
            order.add(i);
        }
        // Adding 0 makes the two zeros equal, as they are for every comparison.
        order.sort(Comparator.comparingDouble((Integer i) -> 0.0 - x[i]).thenComparingInt(i -> i));
        if (x[order.get(0)] == Float.NEGATIVE_INFINITY) {
            token = -2;
            return;
        }
        if (p.temperature() < 1e-5f) {
            token = order.get(0);
            return;
        }
        double[] weight = new double[v];
        double sum = 0;
        int kept = p.topK() == 0 ? v : Math.min(v, p.topK());
        float max = x[order.get(0)];
        for (int r = 0; r < kept; r++) {
            int i = order.get(r);
            weight[i] = Math.exp((double) x[i] - max);
            sum += weight[i];
        }
        double mass = 0;
        boolean reached = false;
        for (int r = 0; r < kept; r++) {
            int i = order.get(r);
            if (Math.abs(weight[i] - p.minP()) < NEAR && p.minP() > 0) {
                ambiguous = true;
            }
            if (reached || weight[i] < p.minP()) {
                weight[i] = 0;
                continue;
            }
            mass += weight[i] / sum;
            if (p.topP() < 1) {
                ambiguous |= Math.abs(mass - p.topP()) < NEAR;
                reached = mass >= p.topP();
            }
        }
        double total = 0;
        for (double w : weight) {
            total += w;
        }
        double cumulative = 0;
        token = -1;
        for (int i = 0; i < v; i++) {
            cumulative += weight[i] / total;
            if (weight[i] > 0) {
                ambiguous |= Math.abs(cumulative - u) < NEAR;
                if (token < 0 && cumulative > u) {
                    token = i;
                }
            }
        }
    }
}
