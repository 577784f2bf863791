package rondo.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import rondo.text.jinja.Token.Kind;

/** Expressions, with jinja2's precedence: if-else, or, and, not, comparison, + -, ~, * / // %, **, unary, postfix. */
class ExprParser {
    static final Map<String, Object> CONSTANTS =
            Map.of("true", true, "True", true, "false", false, "False", false, "none", None.NONE, "None", None.NONE);
    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");
    private static final int MAX_NESTING = 100;

    private final List<Token> tokens;
    private int at;
    private int depth;

    ExprParser(List<Token> tokens) {
        this.tokens = tokens;
    }

    final Token current() {
        return tokens.get(at);
    }

    final Token next() {
        Token token = tokens.get(at);
        if (token.kind() != Kind.END) {
            at++;
        }
        return token;
    }

    private Token peek() {
        return tokens.get(Math.min(at + 1, tokens.size() - 1));
    }

    final TemplateException error(String reason) {
        return new TemplateException(reason, current().line(), false);
    }

    final void expect(Kind kind, String what) {
        if (current().kind() != kind) {
            throw error("expected " + what + ", got " + current().describe());
        }
        next();
    }

    final boolean isOperator(String text) {
        return current().is(Kind.OPERATOR, text);
    }

    final boolean skipOperator(String text) {
        if (isOperator(text)) {
            next();
            return true;
        }
        return false;
    }

    final void expectOperator(String text) {
        if (!skipOperator(text)) {
            throw error("expected '" + text + "', got " + current().describe());
        }
    }

    final boolean skipName(String text) {
        if (current().is(Kind.NAME, text)) {
            next();
            return true;
        }
        return false;
    }

    final String name() {
        if (current().kind() != Kind.NAME) {
            throw error("expected a name, got " + current().describe());
        }
        return next().text();
    }

    /** One expression, or several with commas between them as a tuple. */
    final Expr tuple(boolean conditional, Set<String> until) {
        List<Expr> items = new ArrayList<>();
        boolean tuple = false;
        while (!endsTuple(until)) {
            items.add(conditional ? expression() : or());
            if (!skipOperator(",")) {
                break;
            }
            tuple = true;
        }
        if (items.isEmpty()) {
            throw error("expected an expression, got " + current().describe());
        }
        return tuple ? new Expr.TupleOf(items) : items.get(0);
    }

    private boolean endsTuple(Set<String> until) {
        Token token = current();
        return switch (token.kind()) {
            case VARIABLE_END, BLOCK_END, END -> true;
            case OPERATOR -> token.text().equals(")");
            case NAME -> until.contains(token.text());
            default -> false;
        };
    }

    final Expr expression() {
        if (++depth > MAX_NESTING) {
            throw error("expressions are nested too deeply");
        }
        Expr value = or();
        while (skipName("if")) {
            Expr test = or();
            Expr otherwise = skipName("else") ? expression() : null;
            value = new Expr.Conditional(test, value, otherwise);
        }
        depth--;
        return value;
    }

    private Expr or() {
        Expr left = and();
        while (skipName("or")) {
            left = new Expr.Or(left, and());
        }
        return left;
    }

    private Expr and() {
        Expr left = not();
        while (skipName("and")) {
            left = new Expr.And(left, not());
        }
        return left;
    }

    private Expr not() {
        boolean negated = false;
        boolean any = false;
        while (skipName("not")) {
            negated = !negated;
            any = true;
        }
        Expr value = comparison();
        if (!any) {
            return value;
        }
        return negated ? new Expr.Not(value) : new Expr.Not(new Expr.Not(value));
    }

    private Expr comparison() {
        Expr first = sum();
        List<String> ops = new ArrayList<>();
        List<Expr> rest = new ArrayList<>();
        while (true) {
            Token token = current();
            if (token.kind() == Kind.OPERATOR && COMPARISONS.contains(token.text())) {
                next();
                ops.add(token.text());
            } else if (skipName("in")) {
                ops.add("in");
            } else if (token.is(Kind.NAME, "not") && peek().is(Kind.NAME, "in")) {
                next();
                next();
                ops.add("not in");
            } else {
                return ops.isEmpty() ? first : new Expr.Compare(first, ops, rest);
            }
            rest.add(sum());
        }
    }

    private Expr sum() {
        Expr left = concat();
        while (isOperator("+") || isOperator("-")) {
            String op = next().text();
            left = new Expr.Binary(op, left, concat());
        }
        return left;
    }

    private Expr concat() {
        Expr first = product();
        if (!isOperator("~")) {
            return first;
        }
        List<Expr> parts = new ArrayList<>(List.of(first));
        while (skipOperator("~")) {
            parts.add(product());
        }
        return new Expr.Concat(parts);
    }

    private Expr product() {
        Expr left = power();
        while (isOperator("*") || isOperator("/") || isOperator("//") || isOperator("%")) {
            String op = next().text();
            left = new Expr.Binary(op, left, power());
        }
        return left;
    }

    private Expr power() {
        Expr left = unary(true);
        while (skipOperator("**")) {
            left = new Expr.Binary("**", left, unary(true));
        }
        return left;
    }

    private Expr unary(boolean withFilters) {
        if (++depth > MAX_NESTING) {
            throw error("expressions are nested too deeply");
        }
        Expr value;
        if (skipOperator("-")) {
            value = new Expr.Negate(unary(false));
        } else if (skipOperator("+")) {
            value = new Expr.Plus(unary(false));
        } else {
            value = primary();
        }
        depth--;
        value = postfix(value);
        return withFilters ? filtersAndTests(value) : value;
    }

    private Expr primary() {
        Token token = current();
        switch (token.kind()) {
            case NAME -> {
                next();
                Object constant = CONSTANTS.get(token.text());
                return constant == null ? new Expr.Name(token.text()) : new Expr.Const(constant);
            }
            case STRING -> {
                StringBuilder value = new StringBuilder();
                while (current().kind() == Kind.STRING) {
                    value.append(next().text());
                }
                return new Expr.Const(Text.own(value.toString()));
            }
            case NUMBER -> {
                next();
                return new Expr.Const(token.value());
            }
            default -> {
                if (skipOperator("(")) {
                    if (skipOperator(")")) {
                        return new Expr.TupleOf(List.of());
                    }
                    Expr inner = tuple(true, Set.of());
                    expectOperator(")");
                    return inner;
                }
                if (skipOperator("[")) {
                    return list();
                }
                if (skipOperator("{")) {
                    return dict();
                }
                throw error("unexpected " + token.describe());
            }
        }
    }

    private Expr list() {
        List<Expr> items = new ArrayList<>();
        while (!isOperator("]")) {
            if (!items.isEmpty()) {
                expectOperator(",");
                if (isOperator("]")) {
                    break;
                }
            }
            items.add(expression());
        }
        next();
        return new Expr.ListOf(items);
    }

    private Expr dict() {
        List<Expr> keys = new ArrayList<>();
        List<Expr> values = new ArrayList<>();
        while (!isOperator("}")) {
            if (!keys.isEmpty()) {
                expectOperator(",");
                if (isOperator("}")) {
                    break;
                }
            }
            keys.add(expression());
            expectOperator(":");
            values.add(expression());
        }
        next();
        return new Expr.DictOf(keys, values);
    }

    private Expr postfix(Expr start) {
        Expr value = start;
        while (true) {
            if (skipOperator(".")) {
                Token token = next();
                if (token.kind() == Kind.NAME) {
                    value = new Expr.Attribute(value, token.text());
                } else if (token.kind() == Kind.NUMBER && Numbers.isInteger(token.value())) {
                    value = new Expr.Item(value, new Expr.Const(token.value()));
                } else {
                    throw error("expected a name or number after '.'");
                }
            } else if (skipOperator("[")) {
                value = new Expr.Item(value, subscript());
                expectOperator("]");
            } else if (isOperator("(")) {
                value = new Expr.Call(value, arguments());
            } else {
                return value;
            }
        }
    }

    private Expr subscript() {
        List<Expr> parts = new ArrayList<>();
        parts.add(oneSubscript());
        boolean tuple = false;
        while (skipOperator(",")) {
            tuple = true;
            parts.add(oneSubscript());
        }
        return tuple ? new Expr.TupleOf(parts) : parts.get(0);
    }

    private Expr oneSubscript() {
        Expr from = null;
        if (!isOperator(":")) {
            from = expression();
            if (!isOperator(":")) {
                return from;
            }
        }
        next();
        Expr to = isOperator(":") || isOperator("]") || isOperator(",") ? null : expression();
        Expr step = null;
        if (skipOperator(":") && !isOperator("]") && !isOperator(",")) {
            step = expression();
        }
        return new Expr.Slice(from, to, step);
    }

    final Expr.Args arguments() {
        List<Expr> positional = new ArrayList<>();
        Map<String, Expr> named = new LinkedHashMap<>();
        Expr starList = null;
        Expr starDict = null;
        boolean first = true;
        expectOperator("(");
        while (!isOperator(")")) {
            if (!first) {
                expectOperator(",");
                if (isOperator(")")) {
                    break;
                }
            }
            first = false;
            if (skipOperator("*")) {
                starList = expression();
            } else if (skipOperator("**")) {
                starDict = expression();
            } else if (current().kind() == Kind.NAME && peek().is(Kind.OPERATOR, "=")) {
                String name = next().text();
                next();
                named.put(name, expression());
            } else {
                if (!named.isEmpty() || starDict != null) {
                    throw error("a positional argument follows a named one");
                }
                positional.add(expression());
            }
        }
        next();
        return new Expr.Args(positional, named, starList, starDict);
    }

    private Expr filtersAndTests(Expr start) {
        Expr value = start;
        while (true) {
            if (isOperator("|")) {
                value = filters(value);
            } else if (current().is(Kind.NAME, "is")) {
                next();
                value = test(value);
            } else if (isOperator("(")) {
                value = new Expr.Call(value, arguments());
            } else {
                return value;
            }
        }
    }

    /** One or more {@code | name(args)}. */
    final Expr filters(@Nullable Expr start) {
        Expr value = start;
        while (skipOperator("|")) {
            value = filterNamed(value);
        }
        if (value == null) {
            throw error("expected a filter");
        }
        return value;
    }

    final Expr filterNamed(@Nullable Expr input) {
        String name = dottedName();
        return new Expr.Filter(input, name, isOperator("(") ? arguments() : Expr.Args.NONE);
    }

    private String dottedName() {
        StringBuilder name = new StringBuilder(name());
        while (skipOperator(".")) {
            name.append('.').append(name());
        }
        return name.toString();
    }

    private Expr test(Expr value) {
        boolean negated = skipName("not");
        String name = dottedName();
        Expr.Args args = Expr.Args.NONE;
        if (isOperator("(")) {
            args = arguments();
        } else if (startsTestArgument()) {
            if (current().is(Kind.NAME, "is")) {
                throw error("tests cannot be chained with 'is'");
            }
            args = new Expr.Args(List.of(postfix(primary())), Map.of(), null, null);
        }
        Expr test = new Expr.Test(value, name, args);
        return negated ? new Expr.Not(test) : test;
    }

    private boolean startsTestArgument() {
        Token token = current();
        return switch (token.kind()) {
            case NAME ->
                !token.text().equals("else")
                        && !token.text().equals("or")
                        && !token.text().equals("and");
            case STRING, NUMBER -> true;
            case OPERATOR -> token.text().equals("[") || token.text().equals("{");
            default -> false;
        };
    }
}
