package rondo.text.parse;

import java.util.function.Consumer;
import rondo.base.Json;
import rondo.text.parse.JsonScanner.Step;
import rondo.text.parse.OutputEvent.CallArguments;
import rondo.text.parse.OutputEvent.CallBegin;
import rondo.text.parse.OutputEvent.CallEnd;
import rondo.text.parse.OutputEvent.Content;

/**
 * Tool calls as tagged JSON: {@code <tool_call>{"name": …, "arguments": {…}}</tool_call>}, several in a row.
 *
 * <p>A call ends where its JSON ends, so the closing tag inside a string is text. What breaks before the name and the
 * start of the arguments are known is passed on as content, tag included; what breaks later is passed on as arguments.
 * White space right before and after calls is not content (templates write their own there).
 */
final class HermesParser implements OutputParser {
    private static final String OPEN = "<tool_call>";
    private static final String CLOSE = "</tool_call>";
    /** A call whose name is not known after so many characters is none; bounds what a broken one costs. */
    private static final int MAX_UNNAMED = 16 << 10;

    private enum At {
        CONTENT,
        OBJECT,
        KEY_OR_END,
        KEY,
        COLON,
        VALUE,
        AFTER_VALUE,
        CLOSING,
        BROKEN_ARGUMENTS
    }

    private At at = At.CONTENT;
    private final StringBuilder shown = new StringBuilder();
    /** White space that is content unless a call begins next, and how much of a tag has matched after it. */
    private final StringBuilder blanks = new StringBuilder();

    private int matched;
    private boolean rightAfterCall;

    /** The call so far as it was written, from its opening tag on, until it has begun. */
    private final StringBuilder raw = new StringBuilder();
    /** What is to be read once more, because it followed a tag that turned out to be text. */
    private String again = "";

    private JsonScanner scanner = new JsonScanner();
    private final StringBuilder scanned = new StringBuilder();
    private String key = "";
    private String name = "";
    /** Arguments that wait: for the name, for the end of the push, or (as a JSON string) for their own end. */
    private final StringBuilder arguments = new StringBuilder();

    private boolean argumentsAreString;
    private boolean hasArguments;
    private boolean begun;
    private int calls;

    @Override
    public void text(String text, Consumer<OutputEvent> sink) {
        for (int i = 0; i < text.length(); i++) {
            push(text.charAt(i), sink);
            while (!again.isEmpty()) {
                String rest = again;
                again = "";
                for (int k = 0; k < rest.length(); k++) {
                    push(rest.charAt(k), sink);
                    if (!again.isEmpty()) {
                        again += rest.substring(k + 1);
                        break;
                    }
                }
            }
        }
        settle(sink);
    }

    @Override
    public void finish(Consumer<OutputEvent> sink) {
        switch (at) {
            case CONTENT -> {
                if (!rightAfterCall || matched > 0) {
                    shown.append(blanks);
                }
                shown.append(OPEN, 0, matched);
            }
            case CLOSING -> {}
            default -> {
                if (begun) {
                    sendArguments(sink);
                    sink.accept(new CallEnd(calls++, hasArguments));
                } else {
                    shown.append(blanks).append(raw);
                }
            }
        }
        settle(sink);
        at = At.CONTENT;
        blanks.setLength(0);
        matched = 0;
    }

    /** Sends what has gathered. */
    private void settle(Consumer<OutputEvent> sink) {
        if (!shown.isEmpty()) {
            sink.accept(new Content(shown.toString()));
            shown.setLength(0);
        }
        if (at == At.VALUE && !argumentsAreString) {
            sendArguments(sink);
        }
    }

    private void push(char c, Consumer<OutputEvent> sink) {
        switch (at) {
            case CONTENT -> content(c);
            case CLOSING -> closing(c);
            case BROKEN_ARGUMENTS -> brokenArguments(c, sink);
            default -> {
                if (!begun) {
                    raw.append(c);
                    if (raw.length() > MAX_UNNAMED) {
                        broken(c, sink);
                        return;
                    }
                }
                call(c, sink);
            }
        }
    }

    private void content(char c) {
        if (c == OPEN.charAt(matched)) {
            if (++matched == OPEN.length()) {
                matched = 0;
                startCall();
            }
            return;
        }
        if (matched > 0) {
            show(OPEN, matched);
        }
        if (isBlank(c)) {
            blanks.append(c);
        } else if (c == OPEN.charAt(0)) {
            matched = 1;
        } else {
            show("", 0);
            shown.append(c);
        }
    }

    private void show(String tag, int part) {
        shown.append(blanks).append(tag, 0, part);
        blanks.setLength(0);
        matched = 0;
        rightAfterCall = false;
    }

    /** After the JSON: the closing tag; anything else is content again. */
    private void closing(char c) {
        if (matched == 0 && isBlank(c)) {
            blanks.append(c);
        } else if (c == CLOSE.charAt(matched)) {
            if (++matched == CLOSE.length()) {
                matched = 0;
                blanks.setLength(0);
                at = At.CONTENT;
            }
        } else {
            at = At.CONTENT;
            if (matched > 1) {
                show(CLOSE, matched);
            }
            content(c);
        }
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    private void startCall() {
        at = At.OBJECT;
        raw.setLength(0);
        arguments.setLength(0);
        raw.append(OPEN);
        name = "";
        argumentsAreString = false;
        hasArguments = false;
        begun = false;
    }

    private void call(char c, Consumer<OutputEvent> sink) {
        if (at == At.KEY || at == At.VALUE) {
            value(c, sink);
            return;
        }
        if (isBlank(c)) {
            return;
        }
        if (at == At.OBJECT && c == '{') {
            at = At.KEY_OR_END;
        } else if (at == At.KEY_OR_END && c == '"') {
            scan(At.KEY);
            value(c, sink);
        } else if (at == At.COLON && c == ':') {
            scan(At.VALUE);
        } else if (at == At.AFTER_VALUE && c == ',') {
            at = At.KEY_OR_END;
        } else if (at == At.AFTER_VALUE && c == '}' && !name.isEmpty()) {
            endCall(sink);
        } else {
            broken(c, sink);
        }
    }

    private void scan(At what) {
        at = what;
        scanner = new JsonScanner();
        scanned.setLength(0);
    }

    private void value(char c, Consumer<OutputEvent> sink) {
        if (scanner.fresh() && isBlank(c)) {
            return;
        }
        boolean first = scanner.fresh();
        boolean isArguments = at == At.VALUE && !hasArguments && isArguments();
        Step step = scanner.accept(c);
        if (isArguments && !begun && !name.isEmpty() && step != Step.ERROR) {
            beginCall(sink);
        }
        if (step == Step.ERROR) {
            if (isArguments && begun) {
                arguments.append(c);
                at = At.BROKEN_ARGUMENTS;
            } else {
                broken(c, sink);
            }
            return;
        }
        if (step != Step.BEFORE) {
            (isArguments ? arguments : scanned).append(c);
            argumentsAreString |= isArguments && first && c == '"';
        }
        if (step == Step.LAST || step == Step.BEFORE) {
            complete(isArguments, sink);
        }
        if (step == Step.BEFORE) {
            call(c, sink);
        }
    }

    /** {@code parameters} is what some models write. */
    private boolean isArguments() {
        return key.equals("arguments") || key.equals("parameters");
    }

    private void complete(boolean isArguments, Consumer<OutputEvent> sink) {
        if (at == At.KEY) {
            key = string(scanned.toString());
            at = At.COLON;
            return;
        }
        at = At.AFTER_VALUE;
        if (isArguments) {
            hasArguments = true;
            if (argumentsAreString) {
                String inner = string(arguments.toString());
                arguments.setLength(0);
                arguments.append(inner);
            }
            sendArguments(sink);
        } else if (key.equals("name") && name.isEmpty() && scanned.charAt(0) == '"') {
            name = string(scanned.toString());
            if (!name.isEmpty() && hasArguments) {
                beginCall(sink);
                sendArguments(sink);
            }
        }
    }

    private void beginCall(Consumer<OutputEvent> sink) {
        settle(sink);
        begun = true;
        raw.setLength(0);
        blanks.setLength(0);
        sink.accept(new CallBegin(calls, name));
    }

    private void sendArguments(Consumer<OutputEvent> sink) {
        if (begun && !arguments.isEmpty()) {
            sink.accept(new CallArguments(calls, arguments.toString()));
            arguments.setLength(0);
        }
    }

    private void endCall(Consumer<OutputEvent> sink) {
        if (!begun) {
            beginCall(sink);
            arguments.append("{}");
            sendArguments(sink);
        }
        sink.accept(new CallEnd(calls++, true));
        leaveCall();
    }

    private void leaveCall() {
        at = At.CLOSING;
        blanks.setLength(0);
        matched = 0;
        rightAfterCall = true;
    }

    /** Arguments that are no JSON: as they are, up to the closing tag, less the brace that closes the call. */
    private void brokenArguments(char c, Consumer<OutputEvent> sink) {
        arguments.append(c);
        int end = arguments.length() - CLOSE.length();
        if (c == '>' && end >= 0 && CLOSE.contentEquals(arguments.subSequence(end, arguments.length()))) {
            arguments.setLength(end);
            String text = arguments.toString().stripTrailing();
            arguments.setLength(0);
            arguments.append(text.endsWith("}") ? text.substring(0, text.length() - 1) : text);
            sendArguments(sink);
            sink.accept(new CallEnd(calls++, false));
            leaveCall();
            at = At.CONTENT;
        }
    }

    /** {@code c} cannot stand in the call. */
    private void broken(char c, Consumer<OutputEvent> sink) {
        if (begun) {
            // only the call's own end is missing: what it had to say has been said
            sink.accept(new CallEnd(calls++, hasArguments));
            leaveCall();
            closing(c);
            return;
        }
        // the tag itself is text after all; what follows it may hold another one
        show(OPEN, OPEN.length());
        at = At.CONTENT;
        again = raw.substring(OPEN.length());
        raw.setLength(0);
    }

    private static String string(String json) {
        return Json.mapper().readTree(json).stringValue();
    }
}
