package rondo.agentx.replay;

import java.util.OptionalInt;

/** Token counts as the server reported them; what it did not report is absent. */
public record Usage(OptionalInt promptTokens, OptionalInt completionTokens, OptionalInt cachedTokens) {
    public static final Usage NONE = new Usage(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
}
