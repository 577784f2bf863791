package rondo.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Methods of lists, tuples and dicts; those that would change one are refused, as in jinja2's immutable sandbox. */
final class ContainerMethods {
    private ContainerMethods() {}

    static @Nullable Function of(List<?> list, String name) {
        return switch (name) {
            case "index" ->
                (in, arguments) -> {
                    Object wanted = arguments.bind("list.index", 1, "value").get(0);
                    for (int i = 0; i < list.size(); i++) {
                        if (Values.equal(list.get(i), wanted)) {
                            return (long) i;
                        }
                    }
                    throw new TemplateException(Values.repr(wanted) + " is not in the list");
                };
            case "count" ->
                (in, arguments) -> {
                    Object wanted = arguments.bind("list.count", 1, "value").get(0);
                    return list.stream().filter(x -> Values.equal(x, wanted)).count();
                };
            case "copy" -> (in, arguments) -> new ArrayList<Object>(list);
            case "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse" -> refused("list", name);
            default -> null;
        };
    }

    static @Nullable Function of(Map<?, ?> map, String name) {
        return switch (name) {
            case "get" ->
                (in, arguments) -> {
                    Arguments.Bound a = arguments.bind("dict.get", 1, "key", "default");
                    Object value = map.get(Values.key(a.get(0)));
                    return value == null ? a.get(1, None.NONE) : value;
                };
            case "keys" -> (in, arguments) -> new ArrayList<Object>(map.keySet());
            case "values" -> (in, arguments) -> new ArrayList<Object>(map.values());
            case "items" -> (in, arguments) -> pairs(map);
            case "copy" -> (in, arguments) -> new LinkedHashMap<Object, Object>(map);
            case "update", "pop", "popitem", "clear", "setdefault", "fromkeys" -> refused("dict", name);
            default -> null;
        };
    }

    static List<Object> pairs(Map<?, ?> map) {
        List<Object> out = new ArrayList<>(map.size());
        map.forEach((key, value) -> out.add(new Tuple(List.of(key, value))));
        return out;
    }

    private static Function refused(String type, String name) {
        return (in, arguments) -> {
            throw new TemplateException(type + "." + name + " would change its " + type + ", which is not allowed");
        };
    }
}
