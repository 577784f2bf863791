package rondo.engine.grammar;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The sets behind escapes of regular expressions: ASCII for digits, words and spaces; general categories of Unicode. */
final class RegexClasses {
    static final CharSet DIGIT = CharSet.range('0', '9');
    static final CharSet WORD =
            DIGIT.or(CharSet.range('a', 'z')).or(CharSet.range('A', 'Z')).or(CharSet.of('_'));
    static final CharSet SPACE = CharSet.of(" \t\n\r\f\u000B");
    /** Every dialect's dot excludes at most these. */
    static final CharSet DOT = CharSet.of("\n\r\u0085\u2028\u2029").negate();

    private static final Map<Byte, String> CATEGORY = Map.ofEntries(
            Map.entry(Character.UPPERCASE_LETTER, "Lu"),
            Map.entry(Character.LOWERCASE_LETTER, "Ll"),
            Map.entry(Character.TITLECASE_LETTER, "Lt"),
            Map.entry(Character.MODIFIER_LETTER, "Lm"),
            Map.entry(Character.OTHER_LETTER, "Lo"),
            Map.entry(Character.NON_SPACING_MARK, "Mn"),
            Map.entry(Character.ENCLOSING_MARK, "Me"),
            Map.entry(Character.COMBINING_SPACING_MARK, "Mc"),
            Map.entry(Character.DECIMAL_DIGIT_NUMBER, "Nd"),
            Map.entry(Character.LETTER_NUMBER, "Nl"),
            Map.entry(Character.OTHER_NUMBER, "No"),
            Map.entry(Character.SPACE_SEPARATOR, "Zs"),
            Map.entry(Character.LINE_SEPARATOR, "Zl"),
            Map.entry(Character.PARAGRAPH_SEPARATOR, "Zp"),
            Map.entry(Character.CONTROL, "Cc"),
            Map.entry(Character.FORMAT, "Cf"),
            Map.entry(Character.DASH_PUNCTUATION, "Pd"),
            Map.entry(Character.START_PUNCTUATION, "Ps"),
            Map.entry(Character.END_PUNCTUATION, "Pe"),
            Map.entry(Character.CONNECTOR_PUNCTUATION, "Pc"),
            Map.entry(Character.OTHER_PUNCTUATION, "Po"),
            Map.entry(Character.INITIAL_QUOTE_PUNCTUATION, "Pi"),
            Map.entry(Character.FINAL_QUOTE_PUNCTUATION, "Pf"),
            Map.entry(Character.MATH_SYMBOL, "Sm"),
            Map.entry(Character.CURRENCY_SYMBOL, "Sc"),
            Map.entry(Character.MODIFIER_SYMBOL, "Sk"),
            Map.entry(Character.OTHER_SYMBOL, "So"));

    private static final Set<String> GROUPS = Set.of("L", "M", "N", "Z", "P", "S");

    private RegexClasses() {}

    /** Made once, when first asked for: each takes a look at every code point, and an expression may name thousands. */
    private static final class Properties {
        static final Map<String, CharSet> SETS = Stream.concat(GROUPS.stream(), CATEGORY.values().stream())
                .collect(Collectors.toUnmodifiableMap(Function.identity(), RegexClasses::category));
    }

    /** A general category or group of categories; empty for anything else. */
    static CharSet property(String name) {
        return Properties.SETS.getOrDefault(name, CharSet.NONE);
    }

    private static CharSet category(String name) {
        return CharSet.matching(c -> {
            String category = CATEGORY.get((byte) Character.getType(c));
            return category != null && category.startsWith(name);
        });
    }
}
