package rondo.server;

import rondo.base.TokenIds;
import tools.jackson.databind.JsonNode;

/** How a model writes a conversation as a prompt, and how its answer is read back. */
public interface ChatFormat {
    /**
     * Renders and tokenizes.
     *
     * @throws IllegalArgumentException if the template refuses the conversation; the message is fit for the client
     */
    TokenIds encode(Conversation conversation);

    /** The rendered text, for the endpoints that show it. */
    AnswerReader reader(boolean tools, AnswerSink sink);

    /**
     * What the template is given, checked.
     *
     * @param messages  array of messages, roles and shapes checked
     * @param tools     array of tool objects; empty = none
     * @param variables further template variables
     */
    record Conversation(
            JsonNode messages,
            JsonNode tools,
            JsonNode variables,
            boolean addGenerationPrompt,
            boolean addSpecialTokens) {}

    /** Reads one answer as it grows; the result does not depend on where the text was cut. */
    interface AnswerReader {
        void text(CharSequence more);

        /** The answer is over: what was held back goes out. */
        void end();
    }

    /** What an answer consists of, in its order. */
    interface AnswerSink {
        void content(CharSequence more);

        void reasoning(CharSequence more);

        /** A call begins; its arguments follow. */
        void toolCall(String name);

        void arguments(CharSequence more);

        /** The call's JSON is complete. */
        void toolCallEnd();
    }
}
