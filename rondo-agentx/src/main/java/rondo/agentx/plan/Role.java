package rondo.agentx.plan;

/** Who speaks in a message. */
public enum Role {
    SYSTEM("system"),
    USER("user"),
    ASSISTANT("assistant");

    private final String wire;

    Role(String wire) {
        this.wire = wire;
    }

    /** The name in the request body. */
    public String wire() {
        return wire;
    }
}
