package rondo.model.compute;

/**
 * The pages of the KV cache and the block tables of every sequence slot. The layout inside a page is the device's own.
 * Page 0 of each group is scratch.
 */
public interface KvMemory extends AutoCloseable {
    KvSpec spec();

    /** From now on block {@code block} of the slot's sequence lies in {@code page}. */
    void table(int slot, int group, int block, int page);

    /**
     * Copies a whole page within the memory. May be called from another thread than everything else, if neither that nor
     * another copy writes {@code from} or touches {@code to} meanwhile.
     */
    void copyPage(int group, int from, int to);

    @Override
    void close();
}
