package rondo.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Evaluated arguments of a call, filter or test. */
record Arguments(List<Object> positional, Map<String, Object> named) {
    static final Arguments NONE = new Arguments(List.of(), Map.of());

    /**
     * The arguments in the order of {@code names}; those not given are absent.
     *
     * @param required how many of the names must be given
     */
    Bound bind(String what, int required, String... names) {
        if (positional.size() > names.length) {
            throw new TemplateException(
                    what + " takes at most " + names.length + " arguments, got " + positional.size());
        }
        Object[] values = new Object[names.length];
        for (int i = 0; i < positional.size(); i++) {
            values[i] = positional.get(i);
        }
        named.forEach((name, value) -> {
            int at = List.of(names).indexOf(name);
            if (at < 0 || at < positional.size()) {
                throw new TemplateException(what + " got an unexpected argument '" + name + "'");
            }
            values[at] = value;
        });
        for (int i = 0; i < required; i++) {
            if (values[i] == null) {
                throw new TemplateException(what + " misses its argument '" + names[i] + "'");
            }
        }
        return new Bound(what, values);
    }

    /** The same without the first {@code count} positional ones. */
    Arguments after(int count) {
        return new Arguments(positional.subList(Math.min(count, positional.size()), positional.size()), named);
    }

    Arguments with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(named);
        more.put(name, value);
        return new Arguments(new ArrayList<>(positional), more);
    }

    /** Bound arguments by index. */
    record Bound(String what, Object[] values) {
        boolean has(int i) {
            return values[i] != null;
        }

        Object get(int i) {
            return values[i];
        }

        Object get(int i, Object otherwise) {
            return values[i] == null ? otherwise : values[i];
        }

        boolean given(int i) {
            return values[i] != null && values[i] != None.NONE;
        }

        boolean truth(int i, boolean otherwise) {
            return values[i] == null ? otherwise : Values.truth(values[i]);
        }

        int integer(int i, int otherwise) {
            if (values[i] == null || values[i] == None.NONE) {
                return otherwise;
            }
            if (!Numbers.isInteger(values[i])) {
                throw new TemplateException(what + " expects an integer, got " + Values.typeName(values[i]));
            }
            return Numbers.index(values[i]);
        }

        Text text(int i) {
            if (values[i] instanceof Text text) {
                return text;
            }
            throw new TemplateException(what + " expects a string, got " + Values.typeName(values[i]));
        }

        Text text(int i, Text otherwise) {
            return values[i] == null ? otherwise : text(i);
        }
    }
}
