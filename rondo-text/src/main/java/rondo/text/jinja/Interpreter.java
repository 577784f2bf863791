package rondo.text.jinja;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import rondo.text.jinja.Stmt.Signature;
import rondo.text.jinja.Stmt.Target;

/** One rendering: executes statements; {@link Evaluator} has the expressions. */
final class Interpreter {
    /** How a block ended. */
    private enum Flow {
        ON,
        BREAK,
        CONTINUE
    }

    private final Limits limits;
    private final Evaluator evaluator = new Evaluator(this);
    private long steps;
    private int depth;

    Interpreter(Limits limits) {
        this.limits = limits;
    }

    Text render(List<Stmt> program, Map<String, Object> variables) {
        Scope top = new Scope(new Scope(new Scope(null, Globals.ALL), variables));
        Text.Builder out = new Text.Builder();
        run(program, top, out);
        return out.build();
    }

    /** Counts one evaluation plus the characters it handles. */
    void charge(long characters) {
        steps += 1 + characters / 64;
        if (steps > limits.steps()) {
            throw new TemplateException("the template takes too long (more than " + limits.steps() + " steps)");
        }
        if (characters > limits.outputChars()) {
            throw new TemplateException("a text grows beyond " + limits.outputChars() + " characters");
        }
    }

    void enter() {
        if (++depth > limits.depth()) {
            throw new TemplateException("the template is nested too deeply (more than " + limits.depth() + " levels)");
        }
    }

    void leave() {
        depth--;
    }

    private Flow run(List<Stmt> body, Scope scope, Text.Builder out) {
        for (Stmt statement : body) {
            Flow flow;
            try {
                charge(0);
                enter();
                flow = run(statement, scope, out);
                leave();
            } catch (TemplateException e) {
                throw e.at(statement.line());
            }
            if (flow != Flow.ON) {
                return flow;
            }
        }
        return Flow.ON;
    }

    private Flow run(Stmt statement, Scope scope, Text.Builder out) {
        switch (statement) {
            case Stmt.Data data -> write(data.text(), out);
            case Stmt.Print print -> write(Values.str(evaluator.eval(print.value(), scope)), out);
            case Stmt.If choice -> {
                return runIf(choice, scope, out);
            }
            case Stmt.For loop -> runLoop(loop, evaluator.eval(loop.over(), scope), 0, scope, out);
            case Stmt.Assign assign -> assign(assign.target(), evaluator.eval(assign.value(), scope), scope);
            case Stmt.AssignBlock block -> {
                // A break or continue inside leaves the block for the loop around it; nothing is assigned then.
                Text.Builder captured = new Text.Builder();
                Flow flow = run(block.body(), new Scope(scope), captured);
                if (flow != Flow.ON) {
                    return flow;
                }
                Text text = captured.build();
                Expr filter = block.filter();
                assign(block.target(), filter == null ? text : evaluator.filtered(filter, text, scope), scope);
            }
            case Stmt.With with -> {
                Scope inner = new Scope(scope);
                for (int i = 0; i < with.targets().size(); i++) {
                    assign(with.targets().get(i), evaluator.eval(with.values().get(i), scope), inner);
                }
                return run(with.body(), inner, out);
            }
            case Stmt.MacroDef macro ->
                scope.set(macro.name(), macro(macro.name(), macro.signature(), macro.body(), scope));
            case Stmt.CallBlock block -> {
                Function caller = macro("caller", block.signature(), block.body(), scope);
                write(Values.str(evaluator.call(block.call(), caller, scope)), out);
            }
            case Stmt.FilterBlock block -> {
                Text.Builder captured = new Text.Builder();
                Flow flow = run(block.body(), new Scope(scope), captured);
                if (flow != Flow.ON) {
                    return flow;
                }
                Text text = captured.build();
                write(Values.str(evaluator.filtered(block.filter(), text, scope)), out);
            }
            case Stmt.Group group -> {
                return run(group.body(), scope, out);
            }
            case Stmt.Break end -> {
                return Flow.BREAK;
            }
            case Stmt.Continue again -> {
                return Flow.CONTINUE;
            }
        }
        return Flow.ON;
    }

    private void write(Text text, Text.Builder out) {
        charge(text.length());
        if (out.length() + text.length() > limits.outputChars()) {
            throw new TemplateException("the output grows beyond " + limits.outputChars() + " characters");
        }
        out.append(text);
    }

    private Text capture(List<Stmt> body, Scope scope) {
        Text.Builder out = new Text.Builder();
        run(body, scope, out);
        return out.build();
    }

    private Flow runIf(Stmt.If choice, Scope scope, Text.Builder out) {
        for (int i = 0; i < choice.tests().size(); i++) {
            if (Values.truth(evaluator.eval(choice.tests().get(i), scope))) {
                return run(choice.bodies().get(i), scope, out);
            }
        }
        return run(choice.otherwise(), scope, out);
    }

    private void runLoop(Stmt.For loop, Object over, int level, Scope scope, Text.Builder out) {
        List<Object> items = Values.items(over);
        Expr filter = loop.filter();
        if (filter != null) {
            List<Object> kept = new ArrayList<>();
            for (Object item : items) {
                Scope inner = new Scope(scope);
                assign(loop.target(), item, inner);
                if (Values.truth(evaluator.eval(filter, inner))) {
                    kept.add(item);
                }
            }
            items = kept;
        }
        Function recursion = loop.recursive()
                ? (in, arguments) -> {
                    Text.Builder inner = new Text.Builder();
                    enter();
                    runLoop(loop, arguments.bind("loop", 1, "items").get(0), level + 1, scope, inner);
                    leave();
                    return inner.build();
                }
                : null;
        Loop state = new Loop(items, level, recursion);
        // In jinja2 the else part runs unless one round reached its end: a break or continue in each counts as none.
        boolean reachedAnEnd = false;
        for (int i = 0; i < items.size(); i++) {
            charge(0);
            state.at(i);
            Scope inner = new Scope(scope);
            inner.set("loop", state);
            assign(loop.target(), items.get(i), inner);
            Flow flow = run(loop.body(), inner, out);
            if (flow == Flow.BREAK) {
                break;
            }
            reachedAnEnd |= flow == Flow.ON;
        }
        if (!reachedAnEnd) {
            run(loop.otherwise(), new Scope(scope), out);
        }
    }

    private void assign(Target target, Object value, Scope scope) {
        switch (target) {
            case Target.Variable variable -> scope.set(variable.name(), value);
            case Target.Attribute attribute -> {
                if (!(scope.find(attribute.namespace()) instanceof Namespace space)) {
                    throw new TemplateException("cannot assign to '" + attribute.namespace() + "." + attribute.name()
                            + "': only a namespace's attributes can be set");
                }
                space.values().put(attribute.name(), value);
            }
            case Target.Unpack unpack -> {
                List<Object> items = Values.items(value);
                if (items.size() != unpack.items().size()) {
                    throw new TemplateException("cannot unpack " + items.size() + " values into "
                            + unpack.items().size() + " names");
                }
                for (int i = 0; i < items.size(); i++) {
                    assign(unpack.items().get(i), items.get(i), scope);
                }
            }
        }
    }

    private Function macro(String name, Signature signature, List<Stmt> body, Scope definedIn) {
        return (in, arguments) -> {
            Scope inner = new Scope(definedIn, bind(name, signature, arguments, definedIn));
            enter();
            Text out = capture(body, inner);
            leave();
            return out;
        };
    }

    private Map<String, Object> bind(String macro, Signature signature, Arguments given, Scope definedIn) {
        Map<String, Object> values = new HashMap<>();
        List<String> names = signature.names();
        int positional = Math.min(names.size(), given.positional().size());
        for (int i = 0; i < positional; i++) {
            values.put(names.get(i), given.positional().get(i));
        }
        Map<Object, Object> extra = new LinkedHashMap<>();
        given.named().forEach((name, value) -> {
            int at = names.indexOf(name);
            if (at >= 0 && at < positional) {
                throw new TemplateException("macro '" + macro + "' got its argument '" + name + "' twice");
            }
            if (at >= 0 || name.equals("caller")) {
                values.put(name, value);
            } else {
                extra.put(Text.own(name), value);
            }
        });
        int firstDefault = names.size() - signature.defaults().size();
        for (int i = positional; i < names.size(); i++) {
            if (!values.containsKey(names.get(i))) {
                Scope seen = new Scope(definedIn, values);
                values.put(
                        names.get(i),
                        i >= firstDefault
                                ? evaluator.eval(signature.defaults().get(i - firstDefault), seen)
                                : new Undefined("parameter '" + names.get(i) + "' of macro '" + macro + "'"));
            }
        }
        values.put("varargs", new Tuple(List.copyOf(given.after(names.size()).positional())));
        values.put("kwargs", extra);
        return values;
    }

    Object eval(Expr expression, Scope scope) {
        return evaluator.eval(expression, scope);
    }

    Object call(@Nullable Object function, Arguments arguments) {
        if (function instanceof Function f) {
            return f.call(this, arguments);
        }
        if (function instanceof Undefined u) {
            throw u.error();
        }
        throw new TemplateException((function == null ? "nothing" : Values.typeName(function)) + " cannot be called");
    }
}
