package rondo.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.Env;
import rondo.base.UserError;

/** Sets the log up: one line per event, to the standard error, nothing below INFO unless asked for. */
public final class Logging extends ContextAwareBase implements Configurator {
    /** Names of {@code --log_level} and {@code RONDO_LOG_LEVEL}. */
    static final List<String> LEVELS =
            List.of("internal_error", "error", "warning", "info", "verbose", "debug", "trace");

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        OneLineLayout layout = new OneLineLayout();
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName("stderr");
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.addAppender(appender);
        root.setLevel(Level.INFO);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** The level that the environment asks for, or {@code info}; Rondo's own variable wins (serve-config.md §1.11). */
    static String levelOf(Env env) {
        for (String name : List.of("RONDO_LOG_LEVEL", "TLLM_LOG_LEVEL")) {
            String value = env.get(name).orElse("").toLowerCase(Locale.ROOT);
            if (!value.isEmpty()) {
                if (!LEVELS.contains(value)) {
                    throw new UserError(
                            UserError.USAGE,
                            "env: " + name + " must be one of " + String.join(", ", LEVELS) + ", got '" + value + "'");
                }
                return value;
            }
        }
        return "info";
    }

    /** Lets everything of this level and above through. */
    static void level(String name) {
        Level level = switch (name) {
            case "internal_error", "error" -> Level.ERROR;
            case "warning" -> Level.WARN;
            case "verbose", "debug" -> Level.DEBUG;
            case "trace" -> Level.TRACE;
            default -> Level.INFO;
        };
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(level);
        // The libraries' own details drown ours: they need `trace`.
        Level libraries = level.isGreaterOrEqual(Level.INFO) || level.equals(Level.TRACE) ? level : Level.INFO;
        for (String library : List.of("io.netty", "io.vertx")) {
            context.getLogger(library).setLevel(libraries);
        }
        // It looks for GPUs and warns where there is none, which is nothing to warn about.
        context.getLogger("ai.djl").setLevel(level.equals(Level.TRACE) ? level : Level.ERROR);
    }

    /** Whether stack traces are wanted. */
    static boolean debug() {
        return LoggerFactory.getLogger("rondo").isDebugEnabled();
    }
}
