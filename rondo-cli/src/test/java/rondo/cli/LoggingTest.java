package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.Env;
import rondo.base.UserError;

class LoggingTest {
    @Test
    void oneEventIsOneLineWhateverItHolds() {
        LoggerContext context = new LoggerContext();
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.INFO);
        OneLineLayout layout = new OneLineLayout();
        layout.setContext(context);
        LoggingEvent event = new LoggingEvent(
                "here",
                context.getLogger("rondo"),
                Level.WARN,
                "a\nb {}",
                new IllegalStateException("x\ny"),
                new Object[] {1});
        String line = layout.doLayout(event);
        assertThat(line)
                .matches(
                        "\\d\\d:\\d\\d:\\d\\d\\.\\d{3} WARN  a\\\\nb 1 fault=\"java.lang.IllegalStateException: x\\\\ny\""
                                + " at=.*LoggingTest.java:\\d+\\)\\R");
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.DEBUG);
        assertThat(layout.doLayout(event)).contains("\tat rondo.cli.LoggingTest");
    }

    @Test
    void nothingBelowInfoIsLoggedUnlessAskedFor() {
        Logger log = LoggerFactory.getLogger("rondo.some");
        Logging.level("info");
        assertThat(log.isDebugEnabled()).isFalse();
        assertThat(log.isInfoEnabled()).isTrue();
        Logging.level("warning");
        assertThat(log.isInfoEnabled()).isFalse();
        Logging.level("debug");
        assertThat(log.isDebugEnabled()).isTrue();
        assertThat(LoggerFactory.getLogger("io.netty.buffer").isDebugEnabled()).isFalse();
        Logging.level("info");
    }

    @Test
    void theEnvironmentNamesTheLevelAndRondosNameWins() {
        assertThat(Logging.levelOf(new Env(Map.of()))).isEqualTo("info");
        assertThat(Logging.levelOf(new Env(Map.of("TLLM_LOG_LEVEL", "ERROR")))).isEqualTo("error");
        assertThat(Logging.levelOf(new Env(Map.of("TLLM_LOG_LEVEL", "error", "RONDO_LOG_LEVEL", "debug"))))
                .isEqualTo("debug");
        assertThatThrownBy(() -> Logging.levelOf(new Env(Map.of("RONDO_LOG_LEVEL", "loud"))))
                .isInstanceOf(UserError.class)
                .hasMessage("env: RONDO_LOG_LEVEL must be one of internal_error, error, warning, info, verbose,"
                        + " debug, trace, got 'loud'");
    }
}
