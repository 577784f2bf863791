package rondo.engine.sample;

/**
 * How one sequence samples; fixed for its life.
 *
 * @param temperature       0 to 2; below 1e-5 = greedy
 * @param topK              keep the k most likely; 0 = off
 * @param topP              keep the shortest likely prefix with this mass; 1 = off
 * @param minP              drop what is less likely than this share of the most likely; 0 = off
 * @param repetitionPenalty over prompt and output; 1 = off
 * @param presencePenalty   over output; 0 = off
 * @param frequencyPenalty  over output; 0 = off
 * @param seed              key of the random generator
 * @param choice            index of the choice, part of the generator's key
 * @param bias              token ids and what is added to their logits; -100 = never
 */
public record SamplingParams(
        float temperature,
        int topK,
        float topP,
        float minP,
        float repetitionPenalty,
        float presencePenalty,
        float frequencyPenalty,
        long seed,
        int choice,
        LogitBias bias) {
    private static final SamplingParams GREEDY = new SamplingParams(0, 0, 1, 0, 1, 0, 0, 0, 0, LogitBias.NONE);

    public static SamplingParams greedy() {
        return GREEDY;
    }

    public static SamplingParams of(float temperature, int topK, float topP, long seed) {
        return new SamplingParams(temperature, topK, topP, 0, 1, 0, 0, seed, 0, LogitBias.NONE);
    }

    public boolean isGreedy() {
        return temperature < 1e-5f;
    }

    /** Whether the choice depends on which tokens came before (beyond the logits). */
    public boolean penalizes() {
        return repetitionPenalty != 1 || presencePenalty != 0 || frequencyPenalty != 0;
    }
}
