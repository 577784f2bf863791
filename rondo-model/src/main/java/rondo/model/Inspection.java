package rondo.model;

import rondo.model.arch.DecoderSpec;
import rondo.model.checkpoint.GenerationConfig;
import rondo.model.checkpoint.WeightLedger;

/**
 * What a checkpoint holds, by its headers and configuration alone.
 *
 * @param parameters numbers in the tensors that the decoder consumes
 * @param bytes      bytes of these tensors as stored
 * @param dtype      the type that the configuration names
 */
public record Inspection(
        DecoderSpec spec, WeightLedger ledger, GenerationConfig generation, DType dtype, long parameters, long bytes) {}
