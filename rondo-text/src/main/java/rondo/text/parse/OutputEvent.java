package rondo.text.parse;

/** A piece of a parsed answer, in order. */
public sealed interface OutputEvent {
    /** Text for the reader. */
    record Content(String text) implements OutputEvent {}

    /** Text of the model's reasoning. */
    record Reasoning(String text) implements OutputEvent {}

    /** A tool call begins; {@code index} counts the calls of the answer from 0. */
    record CallBegin(int index, String name) implements OutputEvent {}

    /** More of the call's arguments; the fragments of a call concatenate to the JSON text that the model wrote. */
    record CallArguments(int index, String fragment) implements OutputEvent {}

    /** The call is over; {@code complete} is false when its arguments are no valid JSON or the answer was cut in them. */
    record CallEnd(int index, boolean complete) implements OutputEvent {}
}
