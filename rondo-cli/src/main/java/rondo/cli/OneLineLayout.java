package rondo.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.slf4j.Logger;

/** {@code 12:34:56.789 INFO  message}: one line whatever the message holds; the trace of a fault only at DEBUG. */
final class OneLineLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
    private final ZoneId zone = ZoneId.systemDefault();

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder out = new StringBuilder(160);
        TIME.formatTo(Instant.ofEpochMilli(event.getTimeStamp()).atZone(zone), out);
        out.append(' ').append(event.getLevel());
        out.repeat(" ", Math.max(1, 6 - event.getLevel().toString().length()));
        out.append(escape(String.valueOf(event.getFormattedMessage())));
        IThrowableProxy fault = event.getThrowableProxy();
        if (fault != null) {
            out.append(" fault=\"").append(fault.getClassName());
            if (fault.getMessage() != null) {
                out.append(": ").append(escape(fault.getMessage()));
            }
            out.append('"');
            StackTraceElementProxy[] steps = fault.getStackTraceElementProxyArray();
            if (steps != null && steps.length > 0) {
                out.append(" at=").append(steps[0].getStackTraceElement());
            }
            if (traced()) {
                out.append(System.lineSeparator())
                        .append(ThrowableProxyUtil.asString(fault).stripTrailing());
            }
        }
        return out.append(System.lineSeparator()).toString();
    }

    private boolean traced() {
        return getContext() instanceof LoggerContext c
                && Level.DEBUG.isGreaterOrEqual(
                        c.getLogger(Logger.ROOT_LOGGER_NAME).getEffectiveLevel());
    }

    private static String escape(String text) {
        return text.indexOf('\n') < 0 && text.indexOf('\r') < 0
                ? text
                : text.replace("\r", "\\r").replace("\n", "\\n");
    }
}
