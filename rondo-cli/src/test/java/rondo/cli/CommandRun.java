package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import rondo.base.Env;
import rondo.base.TimeSource;

/**
 * One command line of the real program in the test's process: what it printed and how it ended.
 *
 * @param log what was logged meanwhile
 */
record CommandRun(int code, String out, String err, List<ILoggingEvent> log) {
    static CommandRun of(String... args) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        root.addAppender(log);
        try {
            Env env = new Env(Map.of());
            CommandLine rondo = RondoCommand.commandLine(new ServeLoop(env, TimeSource.system()), env, args);
            StringWriter out = new StringWriter();
            StringWriter err = new StringWriter();
            rondo.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
            int code = rondo.execute(Spelling.of(rondo).normalise(args));
            return new CommandRun(code, out.toString(), err.toString(), List.copyOf(log.list));
        } finally {
            root.detachAppender(log);
        }
    }

    /** The one line that it said to the person; nothing else was said, and nothing of the program's inside shown. */
    String onlyLine() {
        assertThat(err).endsWith(System.lineSeparator());
        assertThat(err.lines()).hasSize(1);
        assertThat(out).isEmpty();
        assertThat(log).noneMatch(e -> e.getThrowableProxy() != null);
        assertThat(err)
                .doesNotContain("internal error")
                .doesNotContain("Exception")
                .doesNotContain("\tat ");
        return err.stripTrailing();
    }
}
