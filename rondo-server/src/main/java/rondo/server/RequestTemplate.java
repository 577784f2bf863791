package rondo.server;

import rondo.base.TokenIds;
import rondo.text.ChatEncoder;
import rondo.text.ChatInput;
import rondo.text.jinja.Limits;
import rondo.text.jinja.TemplateException;

/** The chat template that a request brings, where the server lets it. */
final class RequestTemplate {
    private static final int MAX_CHARACTERS = 256 << 10;
    /** Far less than the checkpoint's own may take: some seconds of a thread are much to give to a stranger. */
    private static final Limits LIMITS = new Limits(16 << 20, 5_000_000, 200);

    private RequestTemplate() {}

    /** The field {@code chat_template}; empty where it is not there. */
    static String read(Fields body, ServerOptions options) throws ApiError {
        if (!body.has("chat_template")) {
            return "";
        }
        if (!options.requestTemplates()) {
            throw ApiError.unsupported(
                    "chat_template",
                    "templates come from the checkpoint only (rondo.allow_request_chat_template is false)");
        }
        String template = body.text("chat_template", "");
        if (template.length() > MAX_CHARACTERS) {
            throw ApiError.invalid(
                    "chat_template",
                    "'chat_template' must have at most " + MAX_CHARACTERS + " characters, got " + template.length());
        }
        return template;
    }

    /** The ids of a conversation by the request's template, or by the server's where that is empty. */
    static TokenIds encode(ChatEncoder chat, ChatInput conversation, String template) throws ApiError {
        if (template.isEmpty()) {
            return chat.encode(conversation).ids();
        }
        try {
            return chat.encode(conversation, template, LIMITS).ids();
        } catch (TemplateException e) {
            throw ApiError.invalid("chat_template", "'chat_template': " + e.getMessage());
        }
    }
}
