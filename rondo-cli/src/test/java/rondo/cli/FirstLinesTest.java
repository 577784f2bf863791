package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** R128: what a start says: what was asked for and what came of it, enough to understand a server by its log alone. */
class FirstLinesTest {
    private static List<String> linesOfAStart(String yaml) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger root = (Logger) LoggerFactory.getLogger("rondo");
        root.addAppender(log);
        try (BundledServer server = BundledServer.start(yaml)) {
            assertThat(server.url()).isNotNull();
            return List.copyOf(log.list).stream()
                    .map(ILoggingEvent::getFormattedMessage)
                    .toList();
        } finally {
            root.detachAppender(log);
        }
    }

    /** Where the first line of each form stands; -1 = nowhere. */
    private static List<Integer> places(List<String> lines, String... forms) {
        return Stream.of(forms)
                .map(form -> IntStream.range(0, lines.size())
                        .filter(i -> lines.get(i).matches(form))
                        .findFirst()
                        .orElse(-1))
                .toList();
    }

    @Test
    void theyTellVersionModelDeviceWeightsWindowsPoolsAndScheduler() {
        List<String> lines = linesOfAStart("""
                max_batch_size: 3
                kv_cache_config: {host_cache_size: 16MiB}
                """);
        assertThat(places(
                        lines,
                        "rondo version=\\S+ model=glimmer-mini directory=.*",
                        "device cpu threads=\\d+ .*",
                        "weights: 99 consumed, 41 skipped \\(rule no_encoder\\), 0 missing, 0 left over .*",
                        "windows layers=\"6 of 256, 2 full\" source=config.json",
                        "kv pool=0 .*",
                        "scheduler .*"))
                .doesNotContain(-1)
                .isSorted();
        assertThat(lines)
                .anyMatch(l -> l.matches("kv pool=0 window=256 page_bytes=\\d+ pages=\\d+ tokens=\\d+ bytes=\\d+"
                        + " host_pages=[1-9]\\d* host_tokens=\\d+ host_bytes=\\d+"))
                .anyMatch(l -> l.matches("kv pool=1 window=full page_bytes=\\d+ pages=\\d+ tokens=\\d+ bytes=\\d+"
                        + " host_pages=[1-9]\\d* host_tokens=\\d+ host_bytes=\\d+"))
                .anyMatch(l -> l.matches("kv max_seq_len=\\d+ reason=\".+\""))
                .anyMatch(
                        l -> l.matches("scheduler policy=MAX_UTILIZATION preemption=AUTO overlap=false max_batch_size=3"
                                + " max_num_tokens=512 max_seq_len=\\d+ chunked_prefill=true"))
                .anyMatch(l -> l.matches("listening host=localhost port=\\d+"));
    }

    @Test
    void windowsThatWereGivenAreToldAsSuch() {
        assertThat(linesOfAStart("kv_cache_config: {max_attention_window: [64, 128]}\n"))
                .contains("windows layers=\"4 of 64, 4 of 128\" source=kv_cache_config.max_attention_window");
    }
}
