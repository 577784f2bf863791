package rondo.text.jinja;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of the compiled template. */
sealed interface Stmt {
    /** 1-based line of the template. */
    int line();

    record Data(Text text, int line) implements Stmt {}

    record Print(Expr value, int line) implements Stmt {}

    record If(List<Expr> tests, List<List<Stmt>> bodies, List<Stmt> otherwise, int line) implements Stmt {}

    record For(
            Target target,
            Expr over,
            @Nullable Expr filter,
            boolean recursive,
            List<Stmt> body,
            List<Stmt> otherwise,
            int line)
            implements Stmt {}

    record Assign(Target target, Expr value, int line) implements Stmt {}

    record AssignBlock(Target target, @Nullable Expr filter, List<Stmt> body, int line) implements Stmt {}

    record With(List<Target> targets, List<Expr> values, List<Stmt> body, int line) implements Stmt {}

    record MacroDef(String name, Signature signature, List<Stmt> body, int line) implements Stmt {}

    record CallBlock(Expr.Call call, Signature signature, List<Stmt> body, int line) implements Stmt {}

    record FilterBlock(Expr filter, List<Stmt> body, int line) implements Stmt {}

    /** A group without a meaning of its own while rendering: {@code generation}. */
    record Group(List<Stmt> body, int line) implements Stmt {}

    record Break(int line) implements Stmt {}

    record Continue(int line) implements Stmt {}

    /** Parameters of a macro; the last {@code defaults.size()} of them have defaults. */
    record Signature(List<String> names, List<Expr> defaults) {}

    /** What an assignment writes to. */
    sealed interface Target {
        record Variable(String name) implements Target {}

        record Attribute(String namespace, String name) implements Target {}

        record Unpack(List<Target> items) implements Target {}
    }
}
