package rondo.text.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Python's numbers: integers of any size (Long where they fit), floats, and booleans that count as 0 and 1. */
final class Numbers {
    private static final BigInteger MIN = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final int MAX_BITS = 1 << 16;

    private Numbers() {}

    static Object norm(BigInteger value) {
        return value.compareTo(MIN) >= 0 && value.compareTo(MAX) <= 0 ? (Object) value.longValue() : value;
    }

    static boolean isNumber(Object value) {
        return value instanceof Long
                || value instanceof Double
                || value instanceof Boolean
                || value instanceof BigInteger;
    }

    static boolean isInteger(Object value) {
        return value instanceof Long || value instanceof BigInteger || value instanceof Boolean;
    }

    static BigInteger big(Object value) {
        return switch (value) {
            case Long l -> BigInteger.valueOf(l);
            case BigInteger b -> b;
            case Boolean b -> b ? BigInteger.ONE : BigInteger.ZERO;
            default -> throw new TemplateException(Values.typeName(value) + " is not an integer");
        };
    }

    static double real(Object value) {
        return switch (value) {
            case Double d -> d;
            case Long l -> l;
            case BigInteger b -> b.doubleValue();
            case Boolean b -> b ? 1 : 0;
            default -> throw new TemplateException(Values.typeName(value) + " is not a number");
        };
    }

    /** An integer that fits an int, for indexes and widths. */
    static int index(Object value) {
        BigInteger b = big(value);
        if (b.bitLength() > 31) {
            return b.signum() < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
        }
        return b.intValue();
    }

    static int compare(Object a, Object b) {
        if (isInteger(a) && isInteger(b)) {
            return big(a).compareTo(big(b));
        }
        double x = real(a);
        double y = real(b);
        return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
    }

    static Object arithmetic(String op, Object a, Object b) {
        if (isInteger(a) && isInteger(b) && !op.equals("/")) {
            return integers(op, big(a), big(b));
        }
        double x = real(a);
        double y = real(b);
        if (y == 0 && (op.equals("/") || op.equals("//") || op.equals("%"))) {
            throw new TemplateException("division by zero");
        }
        return switch (op) {
            case "+" -> x + y;
            case "-" -> x - y;
            case "*" -> x * y;
            case "/" -> x / y;
            case "//" -> Math.floor(x / y);
            case "%" -> {
                double rest = x % y;
                if (rest == 0) {
                    yield Math.copySign(0.0, y);
                }
                yield (rest < 0) != (y < 0) ? rest + y : rest;
            }
            default -> power(x, y);
        };
    }

    private static Object integers(String op, BigInteger x, BigInteger y) {
        if (y.signum() == 0 && (op.equals("//") || op.equals("%"))) {
            throw new TemplateException("division by zero");
        }
        return switch (op) {
            case "+" -> bounded(x.add(y));
            case "-" -> bounded(x.subtract(y));
            case "*" -> bounded(x.multiply(y));
            case "//" -> {
                BigInteger[] parts = x.divideAndRemainder(y);
                boolean down = parts[1].signum() != 0 && parts[1].signum() != y.signum();
                yield norm(down ? parts[0].subtract(BigInteger.ONE) : parts[0]);
            }
            case "%" -> {
                BigInteger rest = x.mod(y.abs());
                yield norm(y.signum() < 0 && rest.signum() != 0 ? rest.add(y) : rest);
            }
            default -> {
                if (y.signum() < 0) {
                    yield power(x.doubleValue(), y.doubleValue());
                }
                if ((long) x.bitLength() * y.min(BigInteger.valueOf(MAX_BITS)).intValue() > MAX_BITS) {
                    throw new TemplateException("a number grows too large");
                }
                yield norm(x.pow(y.intValue()));
            }
        };
    }

    private static double power(double x, double y) {
        if (x == 0 && y < 0) {
            throw new TemplateException("zero cannot be raised to a negative power");
        }
        if (x < 0 && Double.isFinite(x) && Double.isFinite(y) && y != Math.rint(y)) {
            throw new TemplateException("a negative number to a fractional power is complex, which is not supported");
        }
        return Math.pow(x, y);
    }

    private static Object bounded(BigInteger value) {
        if (value.bitLength() > MAX_BITS) {
            throw new TemplateException("a number grows too large");
        }
        return norm(value);
    }

    static Object negate(Object value) {
        return value instanceof Double d ? (Object) (-d) : norm(big(value).negate());
    }

    /** As Python's repr: shortest digits, exponent below 1e-4 and from 1e16. */
    static String repr(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        BigDecimal exact = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        String digits = exact.unscaledValue().abs().toString();
        int exponent = digits.length() - exact.scale() - 1;
        String sign = value < 0 ? "-" : "";
        if (exponent >= -4 && exponent < 16) {
            String plain = exact.abs().toPlainString();
            return sign + (plain.indexOf('.') < 0 ? plain + ".0" : plain);
        }
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        String power = String.valueOf(Math.abs(exponent));
        return sign + mantissa + "e" + (exponent < 0 ? "-" : "+") + (power.length() < 2 ? "0" + power : power);
    }
}
