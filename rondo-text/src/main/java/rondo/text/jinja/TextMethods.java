package rondo.text.jinja;

import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import rondo.text.jinja.Arguments.Bound;

/** Methods of strings. What cuts keeps the foreign ranges exactly; what rewrites marks the whole result foreign. */
final class TextMethods {
    private TextMethods() {}

    static @Nullable Function of(Text text, String name) {
        Function cutting = cutting(text, name);
        if (cutting != null) {
            return cutting;
        }
        Function searching = searching(text, name);
        return searching != null ? searching : rewriting(text, name);
    }

    private static @Nullable Function cutting(Text text, String name) {
        return switch (name) {
            case "strip" -> stripping(text, name, true, true);
            case "lstrip" -> stripping(text, name, true, false);
            case "rstrip" -> stripping(text, name, false, true);
            case "split", "rsplit" -> (in, arguments) -> split(text, name, arguments);
            case "splitlines" ->
                (in, arguments) ->
                        Strings.lines(text, arguments.bind(name, 0, "keepends").truth(0, false));
            case "partition", "rpartition" ->
                (in, arguments) -> {
                    Text separator = arguments.bind(name, 1, "sep").text(0);
                    boolean right = name.equals("rpartition");
                    int at = right
                            ? text.toString().lastIndexOf(separator.toString())
                            : text.toString().indexOf(separator.toString());
                    if (at < 0) {
                        return new Tuple(
                                right ? List.of(Text.EMPTY, Text.EMPTY, text) : List.of(text, Text.EMPTY, Text.EMPTY));
                    }
                    return new Tuple(
                            List.of(text.substring(0, at), separator, text.substring(at + separator.length())));
                };
            case "removeprefix" ->
                (in, arguments) -> {
                    String prefix = arguments.bind(name, 1, "prefix").text(0).toString();
                    return text.toString().startsWith(prefix) ? text.substring(prefix.length()) : text;
                };
            case "removesuffix" ->
                (in, arguments) -> {
                    String suffix = arguments.bind(name, 1, "suffix").text(0).toString();
                    return text.toString().endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : text;
                };
            default -> null;
        };
    }

    private static Function stripping(Text text, String name, boolean left, boolean right) {
        return (in, arguments) -> {
            Bound a = arguments.bind(name, 0, "chars");
            if (!a.given(0)) {
                return Strings.strip(text, "", left, right);
            }
            return a.text(0).length() == 0
                    ? text
                    : Strings.strip(text, a.text(0).toString(), left, right);
        };
    }

    private static Object split(Text text, String name, Arguments arguments) {
        Bound a = arguments.bind(name, 0, "sep", "maxsplit");
        int limit = a.integer(1, -1);
        boolean right = name.equals("rsplit");
        if (!a.given(0)) {
            return right ? Strings.splitWhiteRight(text, limit) : Strings.splitWhite(text, limit);
        }
        String separator = a.text(0).toString();
        if (separator.isEmpty()) {
            throw new TemplateException("split by an empty separator");
        }
        return right ? Strings.splitRight(text, separator, limit) : Strings.split(text, separator, limit);
    }

    private static @Nullable Function searching(Text text, String name) {
        String s = text.toString();
        return switch (name) {
            case "startswith" ->
                (in, arguments) -> any(arguments.bind(name, 1, "prefix").get(0), name, s::startsWith);
            case "endswith" ->
                (in, arguments) -> any(arguments.bind(name, 1, "suffix").get(0), name, s::endsWith);
            case "find", "rfind", "index", "rindex" ->
                (in, arguments) -> {
                    Bound a = arguments.bind(name, 1, "sub", "start");
                    String part = a.text(0).toString();
                    int start = Strings.offset(text, Math.clamp(a.integer(1, 0), 0, Strings.length(text)));
                    int at = name.startsWith("r") ? s.lastIndexOf(part) : s.indexOf(part, start);
                    if (at < start) {
                        if (name.endsWith("index")) {
                            throw new TemplateException("substring not found");
                        }
                        return -1L;
                    }
                    return (long) s.codePointCount(0, at);
                };
            case "count" ->
                (in, arguments) -> {
                    Text part = arguments.bind(name, 1, "sub").text(0);
                    return part.length() == 0
                            ? Strings.length(text) + 1L
                            : Strings.split(text, part.toString(), -1).size() - 1L;
                };
            case "isdigit", "isdecimal", "isnumeric" -> check(s, Character::isDigit);
            case "isalpha" -> check(s, Character::isLetter);
            case "isalnum" -> check(s, Character::isLetterOrDigit);
            case "isspace" -> check(s, c -> c < 0x10000 && Strings.isSpace((char) c));
            case "isupper" ->
                (in, arguments) -> s.codePoints().anyMatch(Character::isUpperCase)
                        && s.codePoints().noneMatch(Character::isLowerCase);
            case "islower" ->
                (in, arguments) -> s.codePoints().anyMatch(Character::isLowerCase)
                        && s.codePoints().noneMatch(Character::isUpperCase);
            default -> null;
        };
    }

    private static Function check(String s, IntPredicate all) {
        return (in, arguments) -> !s.isEmpty() && s.codePoints().allMatch(all);
    }

    private static boolean any(Object wanted, String name, java.util.function.Predicate<String> matches) {
        if (wanted instanceof Text text) {
            return matches.test(text.toString());
        }
        if (wanted instanceof Tuple tuple) {
            return tuple.items().stream().anyMatch(x -> x instanceof Text t && matches.test(t.toString()));
        }
        throw new TemplateException(name + " expects a string or a tuple of strings, got " + Values.typeName(wanted));
    }

    private static @Nullable Function rewriting(Text text, String name) {
        String s = text.toString();
        return switch (name) {
            case "upper" -> (in, arguments) -> text.like(s.toUpperCase(Locale.ROOT));
            case "lower", "casefold" -> (in, arguments) -> text.like(s.toLowerCase(Locale.ROOT));
            case "title" -> (in, arguments) -> text.like(Strings.title(s));
            case "capitalize" -> (in, arguments) -> text.like(Strings.capitalize(s));
            case "swapcase" ->
                (in, arguments) -> {
                    StringBuilder out = new StringBuilder(s.length());
                    s.codePoints()
                            .forEach(c -> out.appendCodePoint(
                                    Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c)));
                    return text.like(out.toString());
                };
            case "replace" ->
                (in, arguments) -> {
                    Bound a = arguments.bind(name, 2, "old", "new", "count");
                    in.charge(text.length());
                    return Strings.replace(text, a.text(0), a.text(1), a.integer(2, -1));
                };
            case "join" ->
                (in, arguments) -> {
                    Text.Builder out = new Text.Builder();
                    boolean first = true;
                    for (Object item :
                            Values.items(arguments.bind(name, 1, "items").get(0))) {
                        if (!(item instanceof Text part)) {
                            throw new TemplateException("join expects strings, got " + Values.typeName(item));
                        }
                        in.charge((long) out.length() + text.length() + part.length());
                        out.append(first ? Text.EMPTY : text).append(part);
                        first = false;
                    }
                    return out.build();
                };
            case "format" -> (in, arguments) -> Formats.braces(text, arguments);
            case "zfill", "ljust", "rjust", "center" -> (in, arguments) -> padded(in, text, name, arguments);
            default -> null;
        };
    }

    private static Text padded(Interpreter in, Text text, String name, Arguments arguments) {
        Bound a = arguments.bind(name, 1, "width", "fillchar");
        String fill = name.equals("zfill") ? "0" : a.text(1, Text.own(" ")).toString();
        int missing = a.integer(0, 0) - Strings.length(text);
        if (missing <= 0) {
            return text;
        }
        in.charge((long) missing + text.length());
        // Python puts the odd one of "center" to the left where the width is odd
        int left = switch (name) {
            case "ljust" -> 0;
            case "center" -> missing / 2 + (missing & a.integer(0, 0) & 1);
            default -> missing;
        };
        boolean signed = name.equals("zfill") && text.length() > 0 && "+-".indexOf(text.charAt(0)) >= 0;
        return new Text.Builder()
                .append(text, 0, signed ? 1 : 0)
                .append(Text.own(fill.repeat(left)))
                .append(text, signed ? 1 : 0, text.length())
                .append(Text.own(fill.repeat(missing - left)))
                .build();
    }
}
