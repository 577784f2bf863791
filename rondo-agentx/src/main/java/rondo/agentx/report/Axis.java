package rondo.agentx.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One axis of a chart: values to pixels, and round ticks.
 *
 * @param from    lowest value
 * @param to      highest value, above {@code from}
 * @param start   pixel of {@code from}
 * @param end     pixel of {@code to}
 * @param logBase whether the scale is logarithmic
 */
record Axis(double from, double to, double start, double end, boolean log) {
    /** From zero to a round number at or above {@code most}. */
    static Axis linear(double most, double start, double end) {
        double top = most > 0 ? most : 1;
        double step = step(top / 4);
        return new Axis(0, Math.ceil(top / step - 1e-9) * step, start, end, false);
    }

    /** Whole decades or halves of them around the values. */
    static Axis logarithmic(double least, double most, double start, double end) {
        double low = Math.max(least, 1e-3);
        double high = Math.max(most, low * 2);
        return new Axis(round(low, false), round(high, true), start, end, true);
    }

    /** The nearest of 1, 2, 5 times a power of ten, below or above. */
    private static double round(double value, boolean up) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        double[] marks = {1, 2, 5, 10};
        double found = up ? 10 * power : power;
        for (double mark : marks) {
            if (!up && mark * power <= value * (1 + 1e-9)) {
                found = mark * power;
            }
            if (up && mark * power >= value * (1 - 1e-9)) {
                return mark * power;
            }
        }
        return found;
    }

    double pixel(double value) {
        double share =
                log ? Math.log(Math.max(value, from) / from) / Math.log(to / from) : (value - from) / (to - from);
        return start + share * (end - start);
    }

    List<Double> ticks() {
        List<Double> out = new ArrayList<>();
        if (log) {
            boolean few = to / from > 1e3;
            for (double power = Math.pow(10, Math.floor(Math.log10(from))); power <= to * 1.001; power *= 10) {
                for (double mark : few ? new double[] {1} : new double[] {1, 2, 5}) {
                    if (mark * power >= from * 0.999 && mark * power <= to * 1.001) {
                        out.add(mark * power);
                    }
                }
            }
        } else {
            double step = step((to - from) / 4);
            for (double v = from; v <= to + step * 1e-6; v += step) {
                out.add(v);
            }
        }
        return out;
    }

    private static double step(double rough) {
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double lead = rough / power;
        return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
    }

    /** Short text of a tick: 1.5k, 20M, 0.05. */
    static String label(double value) {
        double v = Math.abs(value);
        if (v >= 1e6) {
            return trim(value / 1e6) + "M";
        }
        if (v >= 1e4) {
            return trim(value / 1e3) + "k";
        }
        return trim(value);
    }

    private static String trim(double value) {
        String text = String.format(Locale.ROOT, Math.abs(value) < 1 ? "%.3f" : "%.1f", value);
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }
}
