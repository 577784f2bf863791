package rondo.server;

import java.util.regex.Pattern;

/** Whether a chat template walks over the parts of a message's content, or expects one string. */
public final class ContentParts {
    private static final Pattern LOOP =
            Pattern.compile("for\\s+\\w+\\s+in\\s+(\\w+\\s*(\\.\\s*|\\[\\s*['\"]))?content\\b");

    private ContentParts() {}

    /** Looks for a loop over {@code content} in the template's source. */
    public static boolean readBy(String templateSource) {
        return LOOP.matcher(templateSource).find();
    }
}
