package rondo.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import rondo.text.jinja.Arguments.Bound;

/** Functions that every template has. */
final class Globals {
    /** As in jinja2's sandbox. */
    private static final int MAX_RANGE = 100_000;

    static final Map<String, Object> ALL = Map.of(
            "range", (Function) Globals::range,
            "dict", (Function) Globals::dict,
            "namespace", (Function) Globals::namespace,
            "raise_exception",
                    (Function) (in, arguments) -> {
                        Bound a = arguments.bind("raise_exception", 1, "message");
                        throw new TemplateException(Values.str(a.get(0)).toString(), 0, true);
                    },
            "joiner", (Function) Globals::joiner,
            "cycler", (Function) Globals::cycler);

    private Globals() {}

    private static Object range(Interpreter in, Arguments arguments) {
        Bound a = arguments.bind("range", 1, "start", "stop", "step");
        long start = a.has(1) ? a.integer(0, 0) : 0;
        long stop = a.has(1) ? a.integer(1, 0) : a.integer(0, 0);
        long step = a.integer(2, 1);
        if (step == 0) {
            throw new TemplateException("range: the step must not be zero");
        }
        long size = Math.max(0, step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step);
        if (size > MAX_RANGE) {
            throw new TemplateException("range: more than " + MAX_RANGE + " items");
        }
        in.charge(64 * size);
        List<Object> out = new ArrayList<>((int) size);
        for (long i = start; step > 0 ? i < stop : i > stop; i += step) {
            out.add(i);
        }
        return out;
    }

    private static Object dict(Interpreter in, Arguments arguments) {
        Map<Object, Object> out = new LinkedHashMap<>();
        for (Object from : arguments.positional()) {
            if (from instanceof Map<?, ?> map) {
                out.putAll(map);
            } else {
                for (Object pair : Values.items(from)) {
                    List<Object> two = Values.items(pair);
                    if (two.size() != 2) {
                        throw new TemplateException("dict expects pairs");
                    }
                    out.put(Values.key(two.get(0)), two.get(1));
                }
            }
        }
        arguments.named().forEach((name, value) -> out.put(Text.own(name), value));
        return out;
    }

    private static Object namespace(Interpreter in, Arguments arguments) {
        Namespace out = new Namespace();
        for (Object from : arguments.positional()) {
            if (!(from instanceof Map<?, ?> map)) {
                throw new TemplateException("namespace expects a dict, got " + Values.typeName(from));
            }
            map.forEach((key, value) -> out.values().put(String.valueOf(key), value));
        }
        out.values().putAll(arguments.named());
        return out;
    }

    private static Object joiner(Interpreter in, Arguments arguments) {
        Text separator = arguments.bind("joiner", 0, "sep").text(0, Text.own(", "));
        boolean[] used = {false};
        return (Function) (in2, none) -> {
            Text out = used[0] ? separator : Text.EMPTY;
            used[0] = true;
            return out;
        };
    }

    private static Object cycler(Interpreter in, Arguments arguments) {
        List<Object> items = List.copyOf(arguments.positional());
        if (items.isEmpty()) {
            throw new TemplateException("cycler needs items");
        }
        Namespace out = new Namespace();
        int[] at = {0};
        out.values().put("current", items.get(0));
        out.values().put("next", (Function) (in2, none) -> {
            Object now = items.get(at[0]);
            at[0] = (at[0] + 1) % items.size();
            out.values().put("current", items.get(at[0]));
            return now;
        });
        out.values().put("reset", (Function) (in2, none) -> {
            at[0] = 0;
            out.values().put("current", items.get(0));
            return None.NONE;
        });
        return out;
    }
}
