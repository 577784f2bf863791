package rondo.base;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The one JSON mapper: strict about trailing text, lenient about unknown fields, order of keys kept. */
public final class Json {
    /** Long prompts are single JSON strings; their size is bounded by the body limit, not here. */
    private static final int MAX_STRING = 1 << 30;

    private static final int MAX_DEPTH = 500;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(MAX_STRING)
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .build())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}

    public static JsonMapper mapper() {
        return MAPPER;
    }

    /** What is wrong with a text, in one line: the parser's words without its remarks on where it reads from. */
    public static String fault(JacksonException e) {
        String line = e.getOriginalMessage().lines().findFirst().orElse("unreadable");
        if (line.startsWith("Document nesting depth")) {
            return "it is nested more than " + MAX_DEPTH + " deep";
        }
        // How a caller of the parser could allow it is no business of who sent the text.
        int advice = line.indexOf(": enable `");
        int source = line.indexOf("[Source:");
        int remark = advice >= 0 ? advice : source < 0 ? -1 : line.lastIndexOf(" (", source);
        return remark < 0 ? line : line.substring(0, remark);
    }
}
