package rondo.text.jinja;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code loop} variable of a for loop; callable in recursive loops. */
final class Loop implements Function {
    private final List<Object> items;
    private final int depth;
    private final @Nullable Function recursion;
    private int index;
    private @Nullable Object lastChecked;

    Loop(List<Object> items, int depth, @Nullable Function recursion) {
        this.items = items;
        this.depth = depth;
        this.recursion = recursion;
    }

    void at(int index) {
        this.index = index;
    }

    int depth() {
        return depth;
    }

    Object attribute(String name) {
        int size = items.size();
        return switch (name) {
            case "index" -> (long) index + 1;
            case "index0" -> (long) index;
            case "revindex" -> (long) size - index;
            case "revindex0" -> (long) size - index - 1;
            case "first" -> index == 0;
            case "last" -> index == size - 1;
            case "length" -> (long) size;
            case "depth" -> (long) depth + 1;
            case "depth0" -> (long) depth;
            case "previtem" -> index > 0 ? items.get(index - 1) : new Undefined("there is no previous item");
            case "nextitem" -> index + 1 < size ? items.get(index + 1) : new Undefined("there is no next item");
            case "cycle" ->
                (Function) (in, arguments) -> {
                    List<Object> values = arguments.positional();
                    if (values.isEmpty()) {
                        throw new TemplateException("loop.cycle needs values");
                    }
                    return values.get(index % values.size());
                };
            case "changed" ->
                (Function) (in, arguments) -> {
                    Object now = new Tuple(arguments.positional());
                    boolean changed = lastChecked == null || !Values.equal(lastChecked, now);
                    lastChecked = now;
                    return changed;
                };
            default -> new Undefined("'loop." + name + "'");
        };
    }

    @Override
    public Object call(Interpreter in, Arguments arguments) {
        if (recursion == null) {
            throw new TemplateException("the loop is not marked as recursive");
        }
        return recursion.call(in, arguments);
    }
}
