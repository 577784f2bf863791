package rondo.model.compute;

import java.util.List;

/** What the KV cache stores: the type of K and V, tokens per page, and the groups of layers that share a window. */
public record KvSpec(ElementType type, int tokensPerBlock, List<Group> groups) {
    public KvSpec {
        groups = List.copyOf(groups);
    }

    /** Layers of one life cycle; {@code window} 0 = full attention. */
    public record Group(int layers, int kvHeads, int headDim, int window) {}

    /** K and V of one block for all layers of a group. */
    public long pageBytes(int group) {
        Group g = groups.get(group);
        return 2L * g.layers() * tokensPerBlock * g.kvHeads() * g.headDim() * type.bytes();
    }
}
