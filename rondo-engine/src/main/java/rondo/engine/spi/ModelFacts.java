package rondo.engine.spi;

import rondo.kv.KvLayout;

/**
 * What the engine must know of a model.
 *
 * @param vocabulary  number of logits per row
 * @param maxLength   longest sequence the model is made for, in tokens
 * @param layout      its KV cache, as this executor stores it
 * @param draftLength tokens drafted per step; 0 = none
 */
public record ModelFacts(int vocabulary, int maxLength, KvLayout layout, int draftLength) {}
