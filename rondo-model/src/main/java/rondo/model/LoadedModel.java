package rondo.model;

import rondo.model.arch.DecoderSpec;
import rondo.model.checkpoint.GenerationConfig;
import rondo.model.checkpoint.WeightLedger;
import rondo.model.decoder.DecoderExecutor;

/**
 * A checkpoint whose weights are on a device. Closing the executor frees them.
 *
 * @param executor not yet open; {@code executor.model()} has the facts that the engine needs
 * @param dtype    the resolved type of the checkpoint
 * @param kvDtype  the resolved type of K and V
 */
public record LoadedModel(
        DecoderExecutor executor,
        DecoderSpec spec,
        WeightLedger ledger,
        GenerationConfig generation,
        DType dtype,
        DType kvDtype) {}
