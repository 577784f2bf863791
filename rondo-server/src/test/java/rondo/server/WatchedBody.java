package rondo.server;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A JSON object that notes by which names it is asked, down to the objects in it: {@code tools[].function.name}. */
final class WatchedBody extends ObjectNode {
    /** What stands in these is the client's own: its names are not the API's. */
    private static final Set<String> OPEN = Set.of("logit_bias.", "chat_template_kwargs.", "metadata.");

    private static final Set<String> SCHEMAS = Set.of("parameters", "schema", "json_schema", "guided_json", "json");

    private final String prefix;
    private final Set<String> asked;

    private WatchedBody(String prefix, Set<String> asked) {
        super(JsonNodeFactory.instance);
        this.prefix = prefix;
        this.asked = asked;
    }

    static WatchedBody of(ObjectNode body, Set<String> asked) {
        return of(body, "", asked);
    }

    private static WatchedBody of(ObjectNode body, String prefix, Set<String> asked) {
        WatchedBody watched = new WatchedBody(prefix, asked);
        for (Map.Entry<String, JsonNode> one : body.properties()) {
            watched.set(one.getKey(), watched(one.getKey(), one.getValue(), prefix + one.getKey(), asked));
        }
        return watched;
    }

    private static JsonNode watched(String name, JsonNode value, String path, Set<String> asked) {
        if (value instanceof ArrayNode array) {
            ArrayNode items = Json.mapper().createArrayNode();
            array.forEach(item -> items.add(watched(name, item, path + "[]", asked)));
            return items;
        }
        boolean schema = SCHEMAS.contains(name) && !(value.has("schema") || value.has("name"));
        return value instanceof ObjectNode object && !schema && !OPEN.contains(path + ".")
                ? of(object, path + ".", asked)
                : value;
    }

    @Override
    public @Nullable JsonNode get(String name) {
        asked.add(prefix + name);
        return super.get(name);
    }
}
