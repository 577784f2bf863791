package rondo.text.jinja;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An expression of the compiled template. */
sealed interface Expr {
    record Const(Object value) implements Expr {}

    record Name(String name) implements Expr {}

    record ListOf(List<Expr> items) implements Expr {}

    record TupleOf(List<Expr> items) implements Expr {}

    record DictOf(List<Expr> keys, List<Expr> values) implements Expr {}

    record Not(Expr value) implements Expr {}

    record Negate(Expr value) implements Expr {}

    record Plus(Expr value) implements Expr {}

    record Binary(String op, Expr left, Expr right) implements Expr {}

    record And(Expr left, Expr right) implements Expr {}

    record Or(Expr left, Expr right) implements Expr {}

    record Concat(List<Expr> parts) implements Expr {}

    /** {@code first ops[0] rest[0] ops[1] rest[1] …}, each comparison true. */
    record Compare(Expr first, List<String> ops, List<Expr> rest) implements Expr {}

    record Conditional(Expr test, Expr then, @Nullable Expr otherwise) implements Expr {}

    record Attribute(Expr of, String name) implements Expr {}

    record Item(Expr of, Expr key) implements Expr {}

    record Slice(
            @Nullable Expr from,
            @Nullable Expr to,
            @Nullable Expr step) implements Expr {}

    record Call(Expr function, Args args) implements Expr {}

    /** {@code input} is null where the filter stands in a filter or set block: the block's text. */
    record Filter(@Nullable Expr input, String name, Args args) implements Expr {}

    record Test(Expr value, String name, Args args) implements Expr {}

    /** Arguments of a call; {@code starList} and {@code starDict} are the unpacked ones. */
    record Args(
            List<Expr> positional,
            Map<String, Expr> named,
            @Nullable Expr starList,
            @Nullable Expr starDict) {
        static final Args NONE = new Args(List.of(), Map.of(), null, null);
    }
}
