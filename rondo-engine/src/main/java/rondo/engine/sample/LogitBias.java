package rondo.engine.sample;

import java.util.Map;
import java.util.TreeMap;

/** Amounts added to the logits of some tokens, in id order. */
public final class LogitBias {
    /** So low an amount means never, whatever the logit. */
    public static final float NEVER = -100;

    public static final LogitBias NONE = new LogitBias(new int[0], new float[0]);

    private final int[] ids;
    private final float[] amounts;

    private LogitBias(int[] ids, float[] amounts) {
        this.ids = ids;
        this.amounts = amounts;
    }

    public static LogitBias of(Map<Integer, Float> byToken) {
        if (byToken.isEmpty()) {
            return NONE;
        }
        int[] ids = new int[byToken.size()];
        float[] amounts = new float[ids.length];
        int i = 0;
        for (Map.Entry<Integer, Float> e : new TreeMap<>(byToken).entrySet()) {
            ids[i] = e.getKey();
            amounts[i++] = e.getValue();
        }
        return new LogitBias(ids, amounts);
    }

    public int size() {
        return ids.length;
    }

    public int id(int i) {
        return ids[i];
    }

    public float amount(int i) {
        return amounts[i];
    }
}
