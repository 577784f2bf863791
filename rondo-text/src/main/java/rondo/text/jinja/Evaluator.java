package rondo.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Evaluates expressions. */
final class Evaluator {
    private final Interpreter in;

    Evaluator(Interpreter in) {
        this.in = in;
    }

    Object eval(Expr expression, Scope scope) {
        in.charge(0);
        in.enter();
        Object value = switch (expression) {
            case Expr.Const c -> c.value();
            case Expr.Name n -> name(n.name(), scope);
            case Expr.ListOf l -> all(l.items(), scope);
            case Expr.TupleOf t -> new Tuple(all(t.items(), scope));
            case Expr.DictOf d -> dict(d, scope);
            case Expr.Not n -> !Values.truth(eval(n.value(), scope));
            case Expr.Negate n -> Numbers.negate(number(eval(n.value(), scope)));
            case Expr.Plus p -> number(eval(p.value(), scope));
            case Expr.Binary b -> binary(b.op(), eval(b.left(), scope), eval(b.right(), scope));
            case Expr.And a -> {
                Object left = eval(a.left(), scope);
                yield Values.truth(left) ? eval(a.right(), scope) : left;
            }
            case Expr.Or o -> {
                Object left = eval(o.left(), scope);
                yield Values.truth(left) ? left : eval(o.right(), scope);
            }
            case Expr.Concat c -> concat(c.parts(), scope);
            case Expr.Compare c -> compare(c, scope);
            case Expr.Conditional c -> conditional(c, scope);
            case Expr.Attribute a -> Members.attribute(eval(a.of(), scope), a.name());
            case Expr.Item i -> item(i, scope);
            case Expr.Slice s -> throw new TemplateException("a slice outside of [ ]");
            case Expr.Call c -> call(c, null, scope);
            case Expr.Filter f -> filtered(f, null, scope);
            case Expr.Test t -> Tests.test(in, t.name(), eval(t.value(), scope), arguments(t.args(), scope));
        };
        in.leave();
        return value;
    }

    private static Object name(String name, Scope scope) {
        Object value = scope.find(name);
        return value == null ? new Undefined("'" + name + "'") : value;
    }

    private List<Object> all(List<Expr> items, Scope scope) {
        List<Object> out = new ArrayList<>(items.size());
        for (Expr item : items) {
            out.add(eval(item, scope));
        }
        return out;
    }

    private Object dict(Expr.DictOf dict, Scope scope) {
        Map<Object, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < dict.keys().size(); i++) {
            Object key = Values.key(eval(dict.keys().get(i), scope));
            out.put(key, eval(dict.values().get(i), scope));
        }
        return out;
    }

    private static Object number(Object value) {
        if (value instanceof Undefined u) {
            throw u.error();
        }
        if (!Numbers.isNumber(value)) {
            throw new TemplateException("expected a number, got " + Values.typeName(value));
        }
        return value instanceof Boolean b ? (Object) (b ? 1L : 0L) : value;
    }

    private Object binary(String op, Object a, Object b) {
        if (Numbers.isNumber(a) && Numbers.isNumber(b)) {
            return Numbers.arithmetic(op, a, b);
        }
        if (a instanceof Undefined u) {
            throw u.error();
        }
        if (b instanceof Undefined u) {
            throw u.error();
        }
        if (op.equals("+")) {
            if (a instanceof Text x && b instanceof Text y) {
                in.charge((long) x.length() + y.length());
                return new Text.Builder().append(x).append(y).build();
            }
            if (a instanceof List<?> x && b instanceof List<?> y) {
                return joined(x, y);
            }
            if (a instanceof Tuple x && b instanceof Tuple y) {
                return new Tuple(joined(x.items(), y.items()));
            }
        }
        if (op.equals("*") && Numbers.isInteger(b)) {
            return repeat(a, Math.max(0, Numbers.index(b)));
        }
        if (op.equals("*") && Numbers.isInteger(a)) {
            return repeat(b, Math.max(0, Numbers.index(a)));
        }
        if (op.equals("%") && a instanceof Text format) {
            return Formats.percent(format, b);
        }
        throw new TemplateException(
                "'" + op + "' is not possible between " + Values.typeName(a) + " and " + Values.typeName(b));
    }

    private List<Object> joined(List<?> a, List<?> b) {
        in.charge(64L * (a.size() + b.size()));
        List<Object> out = new ArrayList<>(a);
        out.addAll(b);
        return out;
    }

    private Object repeat(Object value, int times) {
        if (value instanceof Text text) {
            in.charge((long) text.length() * times);
            Text.Builder out = new Text.Builder();
            for (int i = 0; i < times && text.length() > 0; i++) {
                out.append(text);
            }
            return out.build();
        }
        if (value instanceof List<?> || value instanceof Tuple) {
            List<Object> items = Values.items(value);
            in.charge(64L * items.size() * times);
            List<Object> out = new ArrayList<>();
            for (int i = 0; i < times && !items.isEmpty(); i++) {
                out.addAll(items);
            }
            return value instanceof Tuple ? new Tuple(out) : out;
        }
        throw new TemplateException("'*' is not possible with " + Values.typeName(value));
    }

    private Object concat(List<Expr> parts, Scope scope) {
        Text.Builder out = new Text.Builder();
        for (Expr part : parts) {
            Text text = Values.str(eval(part, scope));
            in.charge((long) out.length() + text.length());
            out.append(text);
        }
        return out.build();
    }

    private Object compare(Expr.Compare compare, Scope scope) {
        Object left = eval(compare.first(), scope);
        for (int i = 0; i < compare.ops().size(); i++) {
            Object right = eval(compare.rest().get(i), scope);
            if (!holds(compare.ops().get(i), left, right)) {
                return false;
            }
            left = right;
        }
        return true;
    }

    private boolean holds(String op, Object a, Object b) {
        if ((op.equals("in") || op.equals("not in")) && b instanceof Text text) {
            in.charge(text.length());
        }
        return switch (op) {
            case "==" -> Values.equal(a, b);
            case "!=" -> !Values.equal(a, b);
            case "in" -> Values.contains(b, a);
            case "not in" -> !Values.contains(b, a);
            default -> {
                if (a instanceof Undefined u) {
                    throw u.error();
                }
                if (b instanceof Undefined u) {
                    throw u.error();
                }
                int order = Values.compare(a, b);
                yield order != 2
                        && switch (op) {
                            case "<" -> order < 0;
                            case "<=" -> order <= 0;
                            case ">" -> order > 0;
                            default -> order >= 0;
                        };
            }
        };
    }

    private Object conditional(Expr.Conditional choice, Scope scope) {
        if (Values.truth(eval(choice.test(), scope))) {
            return eval(choice.then(), scope);
        }
        Expr otherwise = choice.otherwise();
        return otherwise == null
                ? new Undefined("the inline if has no else, its condition is false, and its value")
                : eval(otherwise, scope);
    }

    private Object item(Expr.Item item, Scope scope) {
        Object of = eval(item.of(), scope);
        if (item.key() instanceof Expr.Slice slice) {
            return Members.slice(of, part(slice.from(), scope), part(slice.to(), scope), part(slice.step(), scope));
        }
        return Members.item(of, eval(item.key(), scope));
    }

    private Object part(@Nullable Expr part, Scope scope) {
        return part == null ? None.NONE : eval(part, scope);
    }

    /** Calls; {@code caller} is the body of a call block. */
    Object call(Expr.Call call, @Nullable Function caller, Scope scope) {
        Object function = eval(call.function(), scope);
        Arguments arguments = arguments(call.args(), scope);
        return in.call(function, caller == null ? arguments : arguments.with("caller", caller));
    }

    /** Applies a filter, or a chain whose innermost input is {@code block}. */
    Object filtered(Expr expression, @Nullable Text block, Scope scope) {
        if (!(expression instanceof Expr.Filter filter)) {
            return eval(expression, scope);
        }
        Expr inner = filter.input();
        Object input;
        if (inner == null) {
            input = block == null ? Text.EMPTY : block;
        } else {
            input = block == null ? eval(inner, scope) : filtered(inner, block, scope);
        }
        Object value = Filters.apply(in, filter.name(), input, arguments(filter.args(), scope));
        if (value instanceof Text text) {
            in.charge(text.length());
        }
        return value;
    }

    private Arguments arguments(Expr.Args args, Scope scope) {
        if (args == Expr.Args.NONE) {
            return Arguments.NONE;
        }
        List<Object> positional = all(args.positional(), scope);
        Map<String, Object> named = new LinkedHashMap<>();
        args.named().forEach((name, value) -> named.put(name, eval(value, scope)));
        Expr list = args.starList();
        if (list != null) {
            positional.addAll(Values.items(eval(list, scope)));
        }
        Expr dict = args.starDict();
        if (dict != null) {
            if (!(eval(dict, scope) instanceof Map<?, ?> map)) {
                throw new TemplateException("the argument after ** must be a dict");
            }
            map.forEach((name, value) -> named.put(String.valueOf(name), value));
        }
        return new Arguments(positional, named);
    }
}
