package rondo.agentx.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;
import rondo.agentx.BenchResult;
import rondo.agentx.ScriptedRuns;
import rondo.base.UserError;

class ReportHtmlTest {
    @TempDir
    Path directory;

    private String page() throws Exception {
        List<BenchResult> runs = new ArrayList<>();
        for (int sessions : new int[] {4, 8}) {
            runs.add(ScriptedRuns.run(directory.resolve("run-" + sessions), sessions));
        }
        // Kept, so that people can look at it.
        Path file = Path.of("target", "report-example.html");
        ReportHtml.write(file, runs);
        return Files.readString(file);
    }

    @Test
    void thePageShowsAllRunsAndNeedsNoNetwork() throws Exception {
        String page = page();
        assertThat(page)
                .contains("4 sessions", "8 sessions", "Throughput against speed", "Slowest requests")
                .contains("prefers-color-scheme: dark", "@media print")
                .doesNotContain("<script", " src=", "href=", "@import", "url(");
        assertThat(page).contains("::sa:agent_").contains("failed, 500 server_error: boom");
    }

    @Test
    void everyPictureIsWellFormedAndEveryRequestIsDrawn() throws Exception {
        String page = page();
        Matcher svg = Pattern.compile("<svg.*?</svg>", Pattern.DOTALL).matcher(page);
        int pictures = 0;
        int drawn = 0;
        while (svg.find()) {
            pictures++;
            var document = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(svg.group())));
            drawn += document.getElementsByTagName("rect").getLength();
            assertThat(svg.group()).doesNotContain("NaN", "Infinity");
        }
        assertThat(pictures).isEqualTo(1 + 2 + 3 * 2);
        assertThat(drawn).isGreaterThan(100);
    }

    @Test
    void noRunsIsAnError() {
        assertThatThrownBy(() -> ReportHtml.write(directory.resolve("x.html"), List.of()))
                .isInstanceOf(UserError.class)
                .hasMessage("report: there is no run to report");
    }
}
