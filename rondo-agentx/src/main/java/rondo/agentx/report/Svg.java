package rondo.agentx.report;

import java.util.Locale;

/** Writes one inline SVG picture of fixed drawing width. */
final class Svg {
    static final double WIDTH = 1000;

    private final StringBuilder out = new StringBuilder();
    private final double width;
    private final double height;

    Svg(double width, double height, String title) {
        this.width = width;
        this.height = height;
        out.append("<svg viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s\">"
                .formatted(n(width), n(height), escape(title)));
    }

    double width() {
        return width;
    }

    double height() {
        return height;
    }

    Svg line(double x1, double y1, double x2, double y2) {
        out.append(
                "<line class=\"grid\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>".formatted(n(x1), n(y1), n(x2), n(y2)));
        return this;
    }

    Svg text(double x, double y, String anchor, String text) {
        return text(x, y, anchor, text, "");
    }

    Svg text(double x, double y, String anchor, String text, String cssClass) {
        String style = cssClass.isEmpty() ? "" : " class=\"" + cssClass + "\"";
        out.append("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\"%s>%s</text>"
                .formatted(n(x), n(y), anchor, style, escape(text)));
        return this;
    }

    Svg rect(double x, double y, double w, double h, String colour, String tip) {
        out.append("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"var(--%s)\""
                .formatted(n(x), n(y), n(Math.max(w, 0.5)), n(h), colour));
        if (tip.isEmpty()) {
            out.append("/>");
        } else {
            out.append("><title>").append(escape(tip)).append("</title></rect>");
        }
        return this;
    }

    Svg circle(double x, double y, double r, String colour, String tip) {
        out.append("<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"var(--%s)\"><title>%s</title></circle>"
                .formatted(n(x), n(y), n(r), colour, escape(tip)));
        return this;
    }

    /** A polyline through pixel pairs. */
    Svg curve(StringBuilder points, String colour) {
        out.append("<polyline class=\"curve\" style=\"stroke:var(--%s)\" points=\"%s\"/>".formatted(colour, points));
        return this;
    }

    Svg area(StringBuilder points, String colour) {
        out.append("<polygon fill=\"var(--%s)\" points=\"%s\"/>".formatted(colour, points));
        return this;
    }

    static StringBuilder point(StringBuilder to, double x, double y) {
        return to.append(n(x)).append(',').append(n(y)).append(' ');
    }

    /** Grid, tick labels and titles of both axes. */
    Svg axes(Axis x, Axis y, String xTitle, String yTitle) {
        for (double tick : y.ticks()) {
            line(x.start(), y.pixel(tick), x.end(), y.pixel(tick));
            text(x.start() - 6, y.pixel(tick) + 4, "end", Axis.label(tick));
        }
        for (double tick : x.ticks()) {
            line(x.pixel(tick), y.start(), x.pixel(tick), y.end());
            text(x.pixel(tick), y.start() + 16, "middle", Axis.label(tick));
        }
        text((x.start() + x.end()) / 2, y.start() + 34, "middle", xTitle);
        text(x.start() - 40, y.end() - 10, "start", yTitle);
        return this;
    }

    @Override
    public String toString() {
        return out + "</svg>";
    }

    static String n(double value) {
        String text = String.format(Locale.ROOT, "%.2f", value);
        return text.endsWith(".00") ? text.substring(0, text.length() - 3) : text;
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
