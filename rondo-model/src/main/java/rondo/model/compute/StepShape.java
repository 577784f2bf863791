package rondo.model.compute;

/**
 * The runs of one step: {@code runs} entries of the first four arrays, {@code tokens} rows in all. Run r covers rows
 * {@code start[r] .. start[r]+length[r]} of the activations, which are the tokens at positions
 * {@code context[r] .. context[r]+length[r]} of the sequence in slot {@code slot[r]}.
 */
public final class StepShape {
    public int runs;
    public int tokens;
    public int[] slot = new int[0];
    public int[] start = new int[0];
    public int[] length = new int[0];
    public int[] context = new int[0];
}
