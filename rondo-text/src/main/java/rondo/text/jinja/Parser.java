package rondo.text.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import rondo.text.jinja.Stmt.Signature;
import rondo.text.jinja.Stmt.Target;
import rondo.text.jinja.Token.Kind;

/** Statements of the template language; expressions are {@link ExprParser}'s. */
final class Parser extends ExprParser {
    private static final int MAX_NESTING = 100;

    private int nesting;
    private int loops;

    private Parser(List<Token> tokens) {
        super(tokens);
    }

    static List<Stmt> parse(String template) {
        Parser parser = new Parser(Lexer.tokens(template));
        List<Stmt> out = parser.body(Set.of());
        if (parser.current().kind() != Kind.END) {
            throw parser.error("unexpected " + parser.current().describe());
        }
        return out;
    }

    /** Statements up to one of the closing tags, which is left as the current NAME token. */
    private List<Stmt> body(Set<String> closing) {
        if (++nesting > MAX_NESTING) {
            throw error("blocks are nested too deeply");
        }
        List<Stmt> out = new ArrayList<>();
        while (true) {
            Token token = current();
            switch (token.kind()) {
                case DATA -> {
                    next();
                    out.add(new Stmt.Data(Text.own(token.text()), token.line()));
                }
                case VARIABLE_BEGIN -> {
                    next();
                    Expr value = tuple(true, Set.of());
                    expect(Kind.VARIABLE_END, "'}}'");
                    out.add(new Stmt.Print(value, token.line()));
                }
                case BLOCK_BEGIN -> {
                    next();
                    Token name = current();
                    if (name.kind() == Kind.NAME && closing.contains(name.text())) {
                        nesting--;
                        return out;
                    }
                    out.add(statement());
                }
                default -> {
                    if (!closing.isEmpty()) {
                        throw error("unexpected end of template, expected "
                                + String.join(" or ", closing.stream().sorted().toList()));
                    }
                    nesting--;
                    return out;
                }
            }
        }
    }

    private List<Stmt> bodyOf(String... closing) {
        expect(Kind.BLOCK_END, "'%}'");
        return body(Set.of(closing));
    }

    private void end() {
        next();
        expect(Kind.BLOCK_END, "'%}'");
    }

    private Stmt statement() {
        Token name = current();
        int line = name.line();
        if (name.kind() != Kind.NAME) {
            throw error("expected the name of a tag, got " + name.describe());
        }
        next();
        return switch (name.text()) {
            case "if" -> ifStatement(line);
            case "for" -> forStatement(line);
            case "set" -> setStatement(line);
            case "macro" -> macro(line);
            case "call" -> callBlock(line);
            case "filter" -> filterBlock(line);
            case "with" -> with(line);
            case "generation" -> {
                List<Stmt> body = bodyOf("endgeneration");
                end();
                yield new Stmt.Group(body, line);
            }
            case "break", "continue" -> {
                if (loops == 0) {
                    throw error("'" + name.text() + "' outside of a loop");
                }
                expect(Kind.BLOCK_END, "'%}'");
                yield name.text().equals("break") ? new Stmt.Break(line) : new Stmt.Continue(line);
            }
            default -> throw error("unknown tag '" + name.text() + "'");
        };
    }

    private Stmt ifStatement(int line) {
        List<Expr> tests = new ArrayList<>();
        List<List<Stmt>> bodies = new ArrayList<>();
        List<Stmt> otherwise = List.of();
        while (true) {
            tests.add(tuple(false, Set.of()));
            bodies.add(bodyOf("elif", "else", "endif"));
            if (skipName("elif")) {
                continue;
            }
            if (skipName("else")) {
                otherwise = bodyOf("endif");
            }
            end();
            return new Stmt.If(tests, bodies, otherwise, line);
        }
    }

    private Stmt forStatement(int line) {
        Target target = target(Set.of("in"));
        if (!skipName("in")) {
            throw error("expected 'in', got " + current().describe());
        }
        Expr over = tuple(false, Set.of("recursive"));
        Expr filter = skipName("if") ? expression() : null;
        boolean recursive = skipName("recursive");
        loops++;
        List<Stmt> body = bodyOf("endfor", "else");
        loops--;
        List<Stmt> otherwise = List.of();
        if (skipName("else")) {
            otherwise = bodyOf("endfor");
        }
        end();
        return new Stmt.For(target, over, filter, recursive, body, otherwise, line);
    }

    private Stmt setStatement(int line) {
        Target target = target(Set.of());
        if (skipOperator("=")) {
            Expr value = tuple(true, Set.of());
            expect(Kind.BLOCK_END, "'%}'");
            return new Stmt.Assign(target, value, line);
        }
        Expr filter = filterChain();
        List<Stmt> body = bodyOf("endset");
        end();
        return new Stmt.AssignBlock(target, filter, body, line);
    }

    private @Nullable Expr filterChain() {
        return isOperator("|") ? filters(null) : null;
    }

    private Stmt filterBlock(int line) {
        Expr filter = filterNamed(null);
        if (isOperator("|")) {
            filter = filters(filter);
        }
        List<Stmt> body = bodyOf("endfilter");
        end();
        return new Stmt.FilterBlock(filter, body, line);
    }

    private Stmt macro(int line) {
        String name = name();
        Signature signature = signature();
        List<Stmt> body = outsideLoops("endmacro");
        return new Stmt.MacroDef(name, signature, body, line);
    }

    private Stmt callBlock(int line) {
        Signature signature = isOperator("(") ? signature() : new Signature(List.of(), List.of());
        if (!(expression() instanceof Expr.Call call)) {
            throw error("expected a call");
        }
        return new Stmt.CallBlock(call, signature, outsideLoops("endcall"), line);
    }

    private List<Stmt> outsideLoops(String closing) {
        int outer = loops;
        loops = 0;
        List<Stmt> body = bodyOf(closing);
        loops = outer;
        end();
        return body;
    }

    private Stmt with(int line) {
        List<Target> targets = new ArrayList<>();
        List<Expr> values = new ArrayList<>();
        while (current().kind() != Kind.BLOCK_END) {
            if (!targets.isEmpty()) {
                expectOperator(",");
            }
            targets.add(new Target.Variable(name()));
            expectOperator("=");
            values.add(expression());
        }
        List<Stmt> body = bodyOf("endwith");
        end();
        return new Stmt.With(targets, values, body, line);
    }

    private Signature signature() {
        List<String> names = new ArrayList<>();
        List<Expr> defaults = new ArrayList<>();
        expectOperator("(");
        while (!isOperator(")")) {
            if (!names.isEmpty()) {
                expectOperator(",");
            }
            names.add(name());
            if (skipOperator("=")) {
                defaults.add(expression());
            } else if (!defaults.isEmpty()) {
                throw error("a parameter without default follows one with a default");
            }
        }
        next();
        return new Signature(names, defaults);
    }

    /** One name, {@code namespace.attribute}, or a tuple of names. */
    private Target target(Set<String> until) {
        List<Target> items = new ArrayList<>();
        boolean tuple = false;
        while (true) {
            Token token = current();
            if (token.kind() == Kind.NAME && !until.contains(token.text())) {
                items.add(oneTarget());
            } else if (skipOperator("(")) {
                items.add(target(Set.of()));
                expectOperator(")");
            } else {
                break;
            }
            if (!skipOperator(",")) {
                break;
            }
            tuple = true;
        }
        if (items.isEmpty()) {
            throw error("expected a variable, got " + current().describe());
        }
        return tuple ? new Target.Unpack(items) : items.get(0);
    }

    private Target oneTarget() {
        String name = name();
        if (CONSTANTS.containsKey(name)) {
            throw error("cannot assign to '" + name + "'");
        }
        return skipOperator(".") ? new Target.Attribute(name, name()) : new Target.Variable(name);
    }
}
