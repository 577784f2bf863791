package rondo.text.parse;

/** Where in the model's reasoning an answer begins, which its prompt decides. */
public enum ReasoningStart {
    /** The model may open its reasoning first. */
    OPEN,
    /** The prompt has opened it. */
    INSIDE,
    /** There is none, or it is over. */
    ANSWER
}
