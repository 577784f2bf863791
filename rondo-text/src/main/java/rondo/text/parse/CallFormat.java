package rondo.text.parse;

/**
 * How a model writes a call of a function as tagged JSON, for outputs that are bound to be one.
 *
 * @param open      before the JSON object
 * @param close     after it
 * @param separator between two calls
 */
public record CallFormat(String open, String close, String separator) {
    /** Everything before the arguments. */
    public String begin(String function) {
        return open + "{\"name\": \"" + function + "\", \"arguments\": ";
    }

    /** Everything after them. */
    public String end() {
        return "}" + close;
    }

    /** As the template itself writes past calls: with or without line breaks inside the tags. */
    static CallFormat tagged(String template) {
        boolean lines = template.contains("<tool_call>\\n") || template.contains("<tool_call>\n");
        return lines
                ? new CallFormat("<tool_call>\n", "\n</tool_call>", "\n")
                : new CallFormat("<tool_call>", "</tool_call>", "");
    }
}
