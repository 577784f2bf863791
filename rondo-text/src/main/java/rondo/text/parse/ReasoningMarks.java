package rondo.text.parse;

/**
 * The text around reasoning in an answer.
 *
 * @param open  begins it
 * @param close ends it
 * @param empty the two around nothing: what a prompt ends with where reasoning is switched off
 */
public record ReasoningMarks(String open, String close, String empty) {
    /** Tags around the reasoning, as Qwen3 and DeepSeek R1 write them. */
    public static final ReasoningMarks THINK = new ReasoningMarks("<think>", "</think>", "<think>\n\n</think>\n\n");
}
