package rondo.engine.grammar;

/**
 * What the tokens of a vocabulary do from one place of an automaton, whatever lies below it: those that stay above are
 * allowed; at some nodes of the token tree the place's rule may have returned, and what comes after depends on what is
 * below.
 *
 * @param allowed tokens whose bytes all lie above, or end exactly with the return
 * @param exits   nodes of the token tree, with children, at which the rule may have returned
 */
record Reach(TokenMask allowed, Exits exits) {
    /** Compared by identity: equal lists are made once per place. */
    static final class Exits {
        static final Exits NONE = new Exits(new int[0]);

        final int[] nodes;

        private Exits(int[] nodes) {
            this.nodes = nodes;
        }

        static Exits of(int[] nodes) {
            return nodes.length == 0 ? NONE : new Exits(nodes);
        }
    }
}
