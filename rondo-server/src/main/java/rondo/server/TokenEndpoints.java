package rondo.server;

import rondo.base.TokenIds;
import tools.jackson.databind.JsonNode;

/** {@code /tokenize} and {@code /detokenize}: what a prompt would be, without running it. */
final class TokenEndpoints {
    private final Front front;
    private final Completions completions;

    TokenEndpoints(Front front, Completions completions) {
        this.front = front;
        this.completions = completions;
    }

    byte[] tokenize(byte[] bytes) throws ApiError {
        if (front.model().idsOnly()) {
            throw IdsOnly.refuse("prompt");
        }
        JsonNode root = JsonTree.parse(bytes);
        Fields body = Fields.body(root);
        TokenIds ids = body.has("messages")
                ? chat(ChatRequest.read(root, completions.context()))
                : completions.tokens(
                        new CompletionRequest.Prompt.Text(prompt(body)), body.flag("add_special_tokens", true), 1);
        return JsonBytes.of(json -> {
            json.writeStartObject();
            json.writeNumberProperty("count", ids.length());
            json.writeNumberProperty("max_model_len", front.service().info().maxSeqLen());
            json.writeArrayPropertyStart("tokens");
            for (int i = 0; i < ids.length(); i++) {
                json.writeNumber(ids.get(i));
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    private TokenIds chat(ChatRequest request) throws ApiError {
        return completions.encode(request.conversation(), request.template(), 1);
    }

    private static String prompt(Fields body) throws ApiError {
        if (!body.has("prompt")) {
            throw body.missing("prompt");
        }
        return body.text("prompt", "");
    }

    byte[] detokenize(byte[] bytes) throws ApiError {
        if (front.model().idsOnly()) {
            throw IdsOnly.refuse("tokens");
        }
        Fields body = Fields.body(JsonTree.parse(bytes));
        if (!body.has("tokens")) {
            throw body.missing("tokens");
        }
        int[] ids = body.tokens("tokens", front.service().info().vocabulary());
        String text = front.model().tokenizer().decode(ids, body.flag("skip_special_tokens", false));
        return JsonBytes.of(json -> {
            json.writeStartObject();
            json.writeStringProperty("prompt", text);
            json.writeEndObject();
        });
    }
}
