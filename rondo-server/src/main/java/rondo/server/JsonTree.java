package rondo.server;

import java.util.Arrays;
import rondo.base.Json;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A request's body as a tree; malformed JSON is a 400 that says where. */
final class JsonTree {
    private JsonTree() {}

    static JsonNode parse(byte[] body) throws ApiError {
        try {
            JsonNode root = Json.mapper().readTree(body);
            if (root.isMissingNode()) {
                throw ApiError.invalidJson("the request body is empty; a JSON object is expected");
            }
            return root;
        } catch (JacksonException e) {
            TokenStreamLocation at = e.getLocation();
            String where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            String reason = Json.fault(e);
            throw ApiError.invalidJson("the request body is not valid JSON" + where + ": "
                    + (reason.length() > 200 ? reason.substring(0, 200) + "…" : reason));
        } catch (StackOverflowError | IllegalArgumentException e) {
            throw ApiError.invalidJson("the request body is not valid JSON");
        }
    }

    static ObjectNode emptyObject() {
        return Json.mapper().createObjectNode();
    }

    static ArrayNode emptyArray() {
        return Json.mapper().createArrayNode();
    }

    /** A list of strings as an array. */
    static boolean isOneOf(JsonNode value, String... names) {
        return value.isString() && Arrays.asList(names).contains(value.stringValue());
    }
}
