package rondo.engine.grammar;

/** A grammar that cannot be used: wrong, unsupported, unsatisfiable, too large or too slow to compile. */
public final class UnsupportedGrammar extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String where;

    /**
     * @param where JSON pointer into a schema, or line and column or character of a text; empty for the whole
     * @param what  one sentence for the person who wrote the grammar
     */
    public UnsupportedGrammar(String where, String what) {
        super(what);
        this.where = where;
    }

    public String where() {
        return where;
    }
}
