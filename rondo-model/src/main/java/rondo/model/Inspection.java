package rondo.model;

import java.util.List;
import java.util.Optional;
import rondo.base.UserError;
import rondo.kv.KvLayout;
import rondo.model.arch.DecoderSpec;
import rondo.model.checkpoint.GenerationConfig;
import rondo.model.checkpoint.StoredType;
import rondo.model.checkpoint.WeightLedger;

/**
 * What a checkpoint holds, by its headers and configuration alone.
 *
 * @param dtype    the type that the configuration names
 * @param kvDtype  the type of K and V
 * @param kv       bytes of a page per life cycle
 * @param consumed the tensors that the decoder takes, by type as stored
 * @param skipped  those that it leaves by a rule
 * @param fault    why the checkpoint cannot be loaded; empty = it can
 */
public record Inspection(
        DecoderSpec spec,
        WeightLedger ledger,
        GenerationConfig generation,
        DType dtype,
        DType kvDtype,
        KvLayout kv,
        List<TypeTotal> consumed,
        List<TypeTotal> skipped,
        Optional<UserError> fault) {
    /** So many tensors of one type, the numbers in them, and their bytes as stored. */
    public record TypeTotal(StoredType type, int tensors, long parameters, long bytes) {}

    public Inspection {
        consumed = List.copyOf(consumed);
        skipped = List.copyOf(skipped);
    }

    /** Numbers in the tensors that the decoder takes. */
    public long parameters() {
        return consumed.stream().mapToLong(TypeTotal::parameters).sum();
    }

    /** Bytes of these tensors as stored. */
    public long bytes() {
        return consumed.stream().mapToLong(TypeTotal::bytes).sum();
    }
}
