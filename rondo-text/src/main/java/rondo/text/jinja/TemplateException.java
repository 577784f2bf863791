package rondo.text.jinja;

/** A template that cannot be compiled or rendered; the message is one line and names the template's line if known. */
public final class TemplateException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String reason;
    private final int line;
    private final boolean raised;

    TemplateException(String reason) {
        this(reason, 0, false);
    }

    TemplateException(String reason, int line, boolean raised) {
        super(line > 0 ? "chat template line " + line + ": " + reason : "chat template: " + reason);
        this.reason = reason;
        this.line = line;
        this.raised = raised;
    }

    /** The message without the place. */
    public String reason() {
        return reason;
    }

    /** 1-based line of the template, 0 where unknown. */
    public int line() {
        return line;
    }

    /** Whether the template itself refused its input ({@code raise_exception}). */
    public boolean raised() {
        return raised;
    }

    TemplateException at(int where) {
        if (line > 0 || where <= 0) {
            return this;
        }
        TemplateException placed = new TemplateException(reason, where, raised);
        placed.setStackTrace(getStackTrace());
        return placed;
    }
}
