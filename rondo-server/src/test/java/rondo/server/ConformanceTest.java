package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;

/**
 * What the API promises, row by row: {@code conformance.jsonl} has a row per field with its default, the ends of its
 * range and what is refused, and a row per error. {@link ConformanceRow} says what stands in a row.
 */
class ConformanceTest {
    private static final int LEAST_ROWS = 150;
    private static final List<ConformanceRow> ROWS = rows();
    private static final ConformanceServers SERVERS = new ConformanceServers();

    private static List<ConformanceRow> rows() {
        try (InputStream in =
                Objects.requireNonNull(ConformanceTest.class.getResourceAsStream("conformance.jsonl"), "no rows")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .map(line -> new ConformanceRow(Json.mapper().readTree(line)))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterAll
    static void stop() throws Exception {
        SERVERS.close();
    }

    @TestFactory
    Stream<DynamicTest> everyRowHolds() {
        return ROWS.stream().map(row -> DynamicTest.dynamicTest(row.name(), () -> check(row)));
    }

    private static void check(ConformanceRow row) throws Exception {
        TestServer server = SERVERS.named(row.server());
        server.service.submitted.clear();
        HttpResponse<String> response = row.send(server);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(row.status());
        row.headers()
                .properties()
                .forEach(header -> assertThat(
                                response.headers().firstValue(header.getKey()).orElse("absent"))
                        .as(header.getKey())
                        .matches(header.getValue().stringValue()));
        if (row.isRefused()) {
            assertThat(TestServer.json(response)).isEqualTo(row.error(response));
            return;
        }
        ConformanceRow.assertHolds("answer", row.answer(), ConformanceRow.answered(response));
        if (!row.engine().isEmpty()) {
            JsonNode asked = SeenByEngine.of(server.service.submitted.getLast().request);
            ConformanceRow.assertHolds("engine", row.engine(), asked);
        }
    }

    @Test
    void noTwoRowsHaveOneNameAndThereAreManyOfThem() {
        Set<String> names = ROWS.stream().map(ConformanceRow::name).collect(Collectors.toSet());
        assertThat(names).hasSameSizeAs(ROWS).hasSizeGreaterThanOrEqualTo(LEAST_ROWS);
    }

    /** Whatever the server looks for in a body, found by letting it read the rows' own bodies. */
    @Test
    void everyFieldThatTheServerReadsHasARow() throws Exception {
        GenerationFields.Context context = SERVERS.context("standard");
        Set<String> asked = new TreeSet<>();
        for (ConformanceRow row : ROWS) {
            if (row.body() instanceof tools.jackson.databind.node.ObjectNode body) {
                WatchedBody watched = WatchedBody.of(body, asked);
                try {
                    if (row.path().equals("/v1/chat/completions")) {
                        ChatRequest.read(watched, context);
                    } else if (row.path().equals("/v1/completions")) {
                        CompletionRequest.read(watched, context);
                    }
                } catch (ApiError e) {
                    // Refused in the middle: what was asked for until then counts.
                }
            }
        }
        Set<String> rows = ROWS.stream().map(ConformanceRow::field).collect(Collectors.toCollection(TreeSet::new));
        assertThat(asked).hasSizeGreaterThan(60);
        assertThat(rows).containsAll(asked);
    }
}
