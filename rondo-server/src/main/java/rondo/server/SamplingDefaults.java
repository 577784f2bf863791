package rondo.server;

/**
 * What a request samples with when it says nothing, as the checkpoint's {@code generation_config.json} has it.
 *
 * @param temperature 0 = greedy
 * @param topK        0 = off
 * @param topP        1 = off
 */
public record SamplingDefaults(double temperature, int topK, double topP) {
    /** Of a checkpoint that says nothing. */
    public static SamplingDefaults standard() {
        return new SamplingDefaults(1.0, 0, 1.0);
    }
}
