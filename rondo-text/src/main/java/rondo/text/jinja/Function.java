package rondo.text.jinja;

/** Something that a template can call. */
@FunctionalInterface
interface Function {
    Object call(Interpreter in, Arguments arguments);
}
