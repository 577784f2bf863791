package rondo.cli.config;

/** A value and where it comes from. */
record Setting(Key key, Value value, Origin origin) {
    String path() {
        return key.path();
    }

    boolean isSet() {
        return !(value instanceof Value.NotSet);
    }

    boolean isDefault() {
        return origin instanceof Origin.Default;
    }

    /** The value for a message; never a secret one. */
    String show() {
        return key.secret() ? "***" : value.yaml();
    }
}
