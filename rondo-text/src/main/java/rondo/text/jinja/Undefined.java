package rondo.text.jinja;

/** A name or key that has no value: prints as nothing, is false and empty; any other use of it is an error. */
record Undefined(String what) {
    TemplateException error() {
        return new TemplateException(what + " is undefined");
    }
}
