package rondo.model.arch;

/** What a tensor of a layer is for. */
public enum TensorRole {
    ATTENTION_NORM,
    QUERY,
    KEY,
    VALUE,
    ATTENTION_GATE,
    ATTENTION_OUTPUT,
    QUERY_NORM,
    KEY_NORM,
    ATTENTION_POST_NORM,
    FFN_NORM,
    FFN_GATE,
    FFN_UP,
    FFN_DOWN,
    FFN_POST_NORM
}
