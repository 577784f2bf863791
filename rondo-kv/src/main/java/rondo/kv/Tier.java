package rondo.kv;

/** Where a page is. */
public enum Tier {
    DEVICE,
    HOST
}
