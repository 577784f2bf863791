package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bundled model answers over HTTP as well as its README says, within two points. */
class EvaluationSetsTest {
    /** Percent, from the model's README (transformers, bf16, greedy). */
    private static final Map<String, Double> STATED = Map.of(
            "word-problems", 98.7,
            "arithmetic", 100.0,
            "strings", 98.5,
            "json-extraction", 100.0,
            "retrieval", 100.0,
            "tool-use", 100.0,
            "tool-answer", 100.0);

    /** Of the first twenty lines transformers gets one wrong, the third of {@code strings}, and so may we. */
    private static final Map<String, Double> STATED_OF_TWENTY = Map.of(
            "word-problems", 100.0,
            "arithmetic", 100.0,
            "strings", 95.0,
            "json-extraction", 100.0,
            "retrieval", 100.0,
            "tool-use", 100.0,
            "tool-answer", 100.0);

    @Test
    void theFirstTwentyLinesOfEachSetReachTheStatedAccuracy() throws Exception {
        check(20, STATED_OF_TWENTY);
    }

    @Test
    @Tag("long")
    void theWholeSetsReachTheStatedAccuracy() throws Exception {
        check(Integer.MAX_VALUE, STATED);
    }

    private static void check(int limit, Map<String, Double> stated) throws Exception {
        try (BundledServer server = BundledServer.start("")) {
            List<EvaluationSets.Score> scores = new EvaluationSets(server.url()).run(limit);
            assertThat(scores).hasSize(stated.size());
            SoftAssertions all = new SoftAssertions();
            for (EvaluationSets.Score score : scores) {
                System.out.printf("%-16s %3d of %3d right%n", score.set(), score.right(), score.items());
                all.assertThat(score.percent())
                        .as("%s, wrong: %s", score.set(), score.wrong())
                        .isGreaterThanOrEqualTo(stated.get(score.set()) - 2.0);
            }
            all.assertAll();
            server.awaitIdle();
        }
    }
}
