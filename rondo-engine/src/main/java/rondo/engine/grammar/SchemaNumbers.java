package rondo.engine.grammar;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decimal numerals between bounds, digit by digit; bounded numerals have no exponent. */
final class SchemaNumbers {
    private static final int MAX_INTEGER_DIGITS = 15;
    private static final int MAX_FRACTION_DIGITS = 11;
    private static final int MAX_BOUND_DIGITS = 30;
    private static final Expr DIGIT = Expr.range('0', '9');

    /** An end of a range of fractions, as the digits after the point. */
    private record Fraction(String digits, boolean inclusive) {
        boolean isZero() {
            return digits.chars().allMatch(c -> c == '0');
        }

        Fraction rest() {
            return new Fraction(digits.isEmpty() ? "" : digits.substring(1), inclusive);
        }

        char first() {
            return digits.isEmpty() ? '0' : digits.charAt(0);
        }
    }

    private static final Fraction FROM_ZERO = new Fraction("", true);
    private static final Fraction NO_END = new Fraction("end", false);

    private SchemaNumbers() {}

    /** A bound of numbers: at least or at most {@code value}, itself included or not. */
    record Bound(BigDecimal value, boolean inclusive) {
        Bound negated() {
            return new Bound(value.negate(), inclusive);
        }
    }

    /** Integers from low to high, both included; an empty list stands for no bound. */
    static Expr integers(List<Bound> low, List<Bound> high) {
        List<Expr> choices = new ArrayList<>();
        BigInteger from = low.isEmpty() ? null : ceiling(low.getFirst());
        BigInteger to = high.isEmpty() ? null : floor(high.getFirst());
        if (from == null || from.signum() < 0) {
            BigInteger nearest = to == null || to.signum() >= 0 ? BigInteger.ONE : to.negate();
            choices.add(Expr.seq(Expr.text("-"), positive(nearest, from == null ? null : from.negate())));
        }
        if ((from == null || from.signum() <= 0) && (to == null || to.signum() >= 0)) {
            choices.add(Expr.text("0"));
        }
        if (to == null || to.signum() > 0) {
            choices.add(positive(from == null || from.signum() <= 0 ? BigInteger.ONE : from, to));
        }
        return Expr.alt(choices);
    }

    private static BigInteger ceiling(Bound low) {
        BigInteger up = low.value().setScale(0, RoundingMode.CEILING).toBigInteger();
        boolean itself = new BigDecimal(up).compareTo(low.value()) == 0;
        return itself && !low.inclusive() ? up.add(BigInteger.ONE) : up;
    }

    private static BigInteger floor(Bound high) {
        return ceiling(high.negated()).negate();
    }

    /** From a >= 1 up to b (null: no end). */
    private static Expr positive(BigInteger a, @Nullable BigInteger b) {
        if (b != null && a.compareTo(b) > 0) {
            return Expr.NEVER;
        }
        String first = a.toString();
        int longest = Math.max(MAX_INTEGER_DIGITS, first.length());
        String last = b == null || b.toString().length() > longest ? "9".repeat(longest) : b.toString();
        List<Expr> choices = new ArrayList<>();
        for (int length = first.length(); length <= last.length(); length++) {
            String low = length == first.length() ? first : "1" + "0".repeat(length - 1);
            String high = length == last.length() ? last : "9".repeat(length);
            choices.add(sameLength(low, high));
        }
        return Expr.alt(choices);
    }

    private static Expr sameLength(String low, String high) {
        int rest = low.length() - 1;
        if (rest < 0) {
            return Expr.EMPTY;
        }
        char l = low.charAt(0);
        char h = high.charAt(0);
        if (low.chars().allMatch(c -> c == '0') && high.chars().allMatch(c -> c == '9')) {
            return Expr.repeat(DIGIT, rest + 1, rest + 1);
        }
        if (l == h) {
            return Expr.seq(Expr.range(l, l), sameLength(low.substring(1), high.substring(1)));
        }
        List<Expr> choices = new ArrayList<>();
        choices.add(Expr.seq(Expr.range(l, l), sameLength(low.substring(1), "9".repeat(rest))));
        if (h - l > 1) {
            choices.add(Expr.seq(Expr.range(l + 1, h - 1), Expr.repeat(DIGIT, rest, rest)));
        }
        choices.add(Expr.seq(Expr.range(h, h), sameLength("0".repeat(rest), high.substring(1))));
        return Expr.alt(choices);
    }

    /** Numbers from low to high; an empty list stands for no bound. */
    static Expr numbers(List<Bound> low, List<Bound> high) {
        List<Expr> choices = new ArrayList<>();
        boolean below = low.isEmpty() || low.getFirst().value().signum() < 0;
        if (below) {
            Bound zero = new Bound(BigDecimal.ZERO, false);
            Bound nearest = high.isEmpty() || high.getFirst().value().signum() >= 0
                    ? zero
                    : high.getFirst().negated();
            List<Bound> farthest = low.stream().map(Bound::negated).toList();
            choices.add(Expr.seq(Expr.text("-"), unsigned(nearest, farthest)));
        }
        if (high.isEmpty() || high.getFirst().value().signum() >= 0) {
            Bound nearest = low.isEmpty() || low.getFirst().value().signum() < 0
                    ? new Bound(BigDecimal.ZERO, true)
                    : low.getFirst();
            choices.add(unsigned(nearest, high));
        }
        return Expr.alt(choices);
    }

    /** From {@code low} >= 0: by the integer part, then the fraction. */
    private static Expr unsigned(Bound low, List<Bound> high) {
        BigInteger first = low.value().toBigInteger();
        Fraction from = fraction(low);
        List<Expr> choices = new ArrayList<>();
        if (high.isEmpty()) {
            choices.add(Expr.seq(whole(first), fractions(from, NO_END)));
            choices.add(Expr.seq(positive(first.add(BigInteger.ONE), null), fractions(FROM_ZERO, NO_END)));
            return Expr.alt(choices);
        }
        BigInteger last = high.getFirst().value().toBigInteger();
        Fraction to = fraction(high.getFirst());
        if (first.compareTo(last) > 0) {
            return Expr.NEVER;
        }
        if (first.equals(last)) {
            return Expr.seq(whole(first), fractions(from, to));
        }
        choices.add(Expr.seq(whole(first), fractions(from, NO_END)));
        choices.add(Expr.seq(
                positive(first.add(BigInteger.ONE), last.subtract(BigInteger.ONE)), fractions(FROM_ZERO, NO_END)));
        choices.add(Expr.seq(whole(last), fractions(FROM_ZERO, to)));
        return Expr.alt(choices);
    }

    private static Expr whole(BigInteger value) {
        return Expr.text(value.toString());
    }

    private static Fraction fraction(Bound bound) {
        BigDecimal part = bound.value().remainder(BigDecimal.ONE).stripTrailingZeros();
        String digits = part.signum() == 0 ? "" : part.toPlainString().substring(2);
        return new Fraction(digits, bound.inclusive());
    }

    /** Nothing, or a point and digits, such that the fraction lies between. */
    private static Expr fractions(Fraction low, Fraction high) {
        Expr some = Expr.seq(Expr.text("."), digits(low, high, MAX_FRACTION_DIGITS, true));
        return zeroFits(low, high) ? Expr.optional(some) : some;
    }

    private static boolean zeroFits(Fraction low, Fraction high) {
        boolean aboveLow = low.isZero() && low.inclusive();
        boolean belowHigh = high == NO_END || !high.isZero() || high.inclusive();
        return aboveLow && belowHigh;
    }

    private static Expr digits(Fraction low, Fraction high, int most, boolean needed) {
        if (low.isZero() && low.inclusive() && high == NO_END) {
            return Expr.repeat(DIGIT, needed ? 1 : 0, most);
        }
        List<Expr> choices = new ArrayList<>();
        if (!needed && zeroFits(low, high)) {
            choices.add(Expr.EMPTY);
        }
        for (char d = '0'; most > 0 && d <= '9'; d++) {
            boolean tooLow = d < low.first();
            boolean tooHigh = high != NO_END && d > high.first();
            if (!tooLow && !tooHigh) {
                Fraction nextLow = d == low.first() ? low.rest() : FROM_ZERO;
                Fraction nextHigh = high == NO_END || d < high.first() ? NO_END : high.rest();
                choices.add(Expr.seq(Expr.range(d, d), digits(nextLow, nextHigh, most - 1, false)));
            }
        }
        return Expr.alt(choices);
    }

    /** Bounds with so many digits are not followed. */
    static boolean tooLong(BigDecimal bound) {
        return bound.precision() > MAX_BOUND_DIGITS
                || Math.abs((long) bound.precision() - bound.scale()) > MAX_BOUND_DIGITS
                || bound.scale() > MAX_BOUND_DIGITS;
    }
}
