package rondo.engine.spi;

/** Bytes that the KV cache may take per tier, after weights and the worst step. */
public record MemoryBudget(long deviceBytes, long hostBytes) {}
