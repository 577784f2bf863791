package rondo.kv;

import java.util.List;

/**
 * Slots of each pool, one pool per life cycle and tier. Device slot 0 of every pool is scratch: padding reads and writes
 * it and no page owns it, so a pool of n slots holds n - 1 pages. Host pools have no scratch slot.
 */
public record KvPools(KvLayout layout, List<Integer> deviceSlots, List<Integer> hostSlots) {
    public KvPools {
        deviceSlots = List.copyOf(deviceSlots);
        hostSlots = List.copyOf(hostSlots);
        int n = layout.lifeCycles().size();
        if (deviceSlots.size() != n || hostSlots.size() != n) {
            throw new IllegalArgumentException("one slot count per life cycle and tier is needed");
        }
    }
}
