package rondo.text.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import rondo.text.jinja.Arguments.Bound;

/** Filters on sequences. */
final class SequenceFilters {
    static final Set<String> NAMES = Set.of(
            "list",
            "first",
            "last",
            "join",
            "sort",
            "reverse",
            "unique",
            "map",
            "select",
            "reject",
            "selectattr",
            "rejectattr",
            "groupby",
            "dictsort",
            "sum",
            "min",
            "max",
            "batch",
            "slice");

    private SequenceFilters() {}

    static Object apply(Interpreter in, String name, Object value, Arguments arguments) {
        return switch (name) {
            case "list" -> new ArrayList<>(Values.items(value));
            case "first" -> {
                List<Object> items = Values.items(value);
                yield items.isEmpty() ? new Undefined("the first item of an empty sequence") : items.get(0);
            }
            case "last" -> {
                if (value instanceof Lazy) {
                    throw new TemplateException("a generator has no last item");
                }
                List<Object> items = Values.items(value);
                yield items.isEmpty() ? new Undefined("the last item of an empty sequence") : items.getLast();
            }
            case "join" -> join(in, value, arguments);
            case "sort" -> sort(value, arguments);
            case "reverse" -> {
                if (value instanceof Text) {
                    yield Members.slice(value, None.NONE, None.NONE, -1L);
                }
                List<Object> items = new ArrayList<>(Values.items(value));
                Collections.reverse(items);
                yield new Lazy(items);
            }
            case "unique" -> unique(value, arguments);
            case "map" -> new Lazy(map(in, orEmpty(value), arguments));
            case "select", "reject" -> new Lazy(select(in, name.equals("select"), false, orEmpty(value), arguments));
            case "selectattr", "rejectattr" ->
                new Lazy(select(in, name.equals("selectattr"), true, orEmpty(value), arguments));
            case "groupby" -> groups(value, arguments);
            case "dictsort" -> dictSort(value, arguments);
            case "sum" -> {
                Bound a = arguments.bind(name, 0, "attribute", "start");
                Object sum = a.get(1, 0L);
                for (Object item : Values.items(value)) {
                    sum = Numbers.arithmetic("+", sum, a.given(0) ? path(item, a.get(0)) : item);
                }
                yield sum;
            }
            case "min", "max" -> {
                Bound a = arguments.bind(name, 0, "case_sensitive", "attribute");
                List<Object> items = new ArrayList<>(Values.items(value));
                items.sort(order(a.truth(0, false), a.given(1) ? a.get(1) : None.NONE));
                yield items.isEmpty()
                        ? new Undefined("the " + name + " of an empty sequence")
                        : name.equals("min") ? items.getFirst() : items.getLast();
            }
            case "batch" -> batch(value, arguments.bind(name, 1, "linecount", "fill_with"));
            case "slice" -> slices(value, arguments.bind(name, 1, "slices", "fill_with"));
            default -> throw new TemplateException("no filter named '" + name + "'");
        };
    }

    /** The lazy filters of jinja2 take whatever is false (none, 0, ...) for an empty sequence. */
    private static Object orEmpty(Object value) {
        return Values.truth(value) ? value : List.of();
    }

    private static Object join(Interpreter in, Object value, Arguments arguments) {
        Bound a = arguments.bind("join", 0, "d", "attribute");
        Text separator = Values.str(a.get(0, Text.EMPTY));
        Text.Builder out = new Text.Builder();
        boolean first = true;
        for (Object item : Values.items(value)) {
            Text part = Values.str(a.given(1) ? path(item, a.get(1)) : item);
            in.charge((long) separator.length() + part.length());
            if (!first) {
                out.append(separator);
            }
            first = false;
            in.charge(out.append(part).length() / 64);
        }
        return out.build();
    }

    private static Object sort(Object value, Arguments arguments) {
        Bound a = arguments.bind("sort", 0, "reverse", "case_sensitive", "attribute");
        List<Object> items = new ArrayList<>(Values.items(value));
        Comparator<Object> order = order(a.truth(1, false), a.given(2) ? a.get(2) : None.NONE);
        items.sort(a.truth(0, false) ? order.reversed() : order);
        return items;
    }

    private static Object unique(Object value, Arguments arguments) {
        Bound a = arguments.bind("unique", 0, "case_sensitive", "attribute");
        Set<Object> seen = new LinkedHashSet<>();
        List<Object> out = new ArrayList<>();
        for (Object item : Values.items(value)) {
            if (seen.add(Values.key(folded(a.given(1) ? path(item, a.get(1)) : item, a.truth(0, false))))) {
                out.add(item);
            }
        }
        return new Lazy(out);
    }

    private static List<Object> map(Interpreter in, Object value, Arguments arguments) {
        List<Object> out = new ArrayList<>();
        Object attribute = arguments.named().get("attribute");
        if (arguments.positional().isEmpty() && attribute != null) {
            Object otherwise = arguments.named().get("default");
            for (Object item : Values.items(value)) {
                in.charge(0);
                out.add(path(item, attribute, otherwise));
            }
            return out;
        }
        if (arguments.positional().isEmpty() || !(arguments.positional().get(0) instanceof Text filter)) {
            throw new TemplateException("map needs a filter's name or attribute=");
        }
        for (Object item : Values.items(value)) {
            in.charge(0);
            out.add(Filters.apply(in, filter.toString(), item, arguments.after(1)));
        }
        return out;
    }

    private static List<Object> select(
            Interpreter in, boolean keep, boolean byAttribute, Object value, Arguments arguments) {
        int skip = byAttribute ? 1 : 0;
        if (arguments.positional().size() < skip) {
            throw new TemplateException("selectattr needs the name of an attribute");
        }
        Object attribute = byAttribute ? arguments.positional().get(0) : None.NONE;
        Arguments rest = arguments.after(skip);
        List<Object> out = new ArrayList<>();
        for (Object item : Values.items(value)) {
            in.charge(0);
            Object tested = byAttribute ? path(item, attribute) : item;
            boolean holds = rest.positional().isEmpty()
                    ? Values.truth(tested)
                    : Tests.test(in, Values.str(rest.positional().get(0)).toString(), tested, rest.after(1));
            if (holds == keep) {
                out.add(item);
            }
        }
        return out;
    }

    private static Object groups(Object value, Arguments arguments) {
        Bound a = arguments.bind("groupby", 1, "attribute", "default", "case_sensitive");
        boolean exact = a.truth(2, false);
        List<Object[]> keyed = new ArrayList<>();
        for (Object item : Values.items(value)) {
            Object key = path(item, a.get(0));
            keyed.add(new Object[] {key instanceof Undefined && a.has(1) ? a.get(1) : key, item});
        }
        keyed.sort((x, y) -> Values.compare(folded(x[0], exact), folded(y[0], exact)));
        List<Object> out = new ArrayList<>();
        for (Object[] pair : keyed) {
            Members.Group last = out.isEmpty() ? null : (Members.Group) out.getLast();
            if (last == null || !Values.equal(folded(last.key(), exact), folded(pair[0], exact))) {
                last = new Members.Group(pair[0], new ArrayList<>());
                out.add(last);
            }
            last.members().add(pair[1]);
        }
        return out;
    }

    private static Object dictSort(Object value, Arguments arguments) {
        Bound a = arguments.bind("dictsort", 0, "case_sensitive", "by", "reverse");
        if (!(value instanceof Map<?, ?> map)) {
            throw new TemplateException("dictsort expects a dict, got " + Values.typeName(value));
        }
        boolean byValue = a.text(1, Text.own("key")).toString().equals("value");
        Comparator<Object> order = order(a.truth(0, false), byValue ? (Object) 1L : 0L);
        List<Object> items = ContainerMethods.pairs(map);
        items.sort(a.truth(2, false) ? order.reversed() : order);
        return items;
    }

    private static Object batch(Object value, Bound a) {
        int size = Math.max(1, a.integer(0, 1));
        List<Object> out = new ArrayList<>();
        List<Object> row = new ArrayList<>();
        for (Object item : Values.items(value)) {
            if (row.size() == size) {
                out.add(row);
                row = new ArrayList<>();
            }
            row.add(item);
        }
        if (!row.isEmpty()) {
            while (a.given(1) && row.size() < Math.min(size, 10_000)) {
                row.add(a.get(1));
            }
            out.add(row);
        }
        return new Lazy(out);
    }

    private static Object slices(Object value, Bound a) {
        int count = Math.clamp(a.integer(0, 1), 1, 10_000);
        List<Object> items = Values.items(value);
        int each = items.size() / count;
        int extra = items.size() % count;
        List<Object> out = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < count; i++) {
            int to = from + each + (i < extra ? 1 : 0);
            List<Object> part = new ArrayList<>(items.subList(from, to));
            if (a.given(1) && i >= extra && extra > 0) {
                part.add(a.get(1));
            }
            out.add(part);
            from = to;
        }
        return new Lazy(out);
    }

    private static Object path(Object item, Object attribute) {
        return path(item, attribute, null);
    }

    /** {@code a.b.0}: attribute after attribute, as the attribute arguments of filters take it. */
    private static Object path(Object item, Object attribute, @Nullable Object otherwise) {
        if (!(attribute instanceof Text text)) {
            return or(Members.item(item, attribute), otherwise);
        }
        Object value = item;
        for (String part : text.toString().split("\\.", -1)) {
            boolean number = !part.isEmpty() && part.chars().allMatch(c -> c >= '0' && c <= '9') && part.length() < 10;
            value = or(Members.item(value, number ? (Object) Long.valueOf(part) : Text.own(part)), otherwise);
        }
        return value;
    }

    private static Object or(Object value, @Nullable Object otherwise) {
        return value instanceof Undefined && otherwise != null ? otherwise : value;
    }

    private static Object folded(Object value, boolean exact) {
        return !exact && value instanceof Text text
                ? Text.own(text.toString().toLowerCase(java.util.Locale.ROOT))
                : value;
    }

    private static Comparator<Object> order(boolean exact, Object attribute) {
        return (x, y) -> {
            Object a = attribute == None.NONE ? x : path(x, attribute);
            Object b = attribute == None.NONE ? y : path(y, attribute);
            if (a instanceof Undefined u) {
                throw u.error();
            }
            if (b instanceof Undefined u) {
                throw u.error();
            }
            return Values.compare(folded(a, exact), folded(b, exact));
        };
    }
}
