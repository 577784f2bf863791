package rondo.engine.grammar;

/** So many grammars wait to be compiled that this one is turned away; it may be tried again. */
public final class CompilersBusy extends Exception {
    private static final long serialVersionUID = 1;

    CompilersBusy() {
        super("too many grammars are being compiled, try again");
    }
}
