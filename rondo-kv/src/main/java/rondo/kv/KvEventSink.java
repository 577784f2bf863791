package rondo.kv;

/** Takes events in their order. */
@FunctionalInterface
public interface KvEventSink {
    void accept(long id, KvEvent event);
}
