package rondo.text;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import rondo.base.Json;
import rondo.base.Shared;
import rondo.base.TokenIds;
import rondo.text.jinja.Text;
import tools.jackson.databind.node.ArrayNode;

/** A conversation of 450 KB that grows by 4 KB: its prompt rendered, and tokenized with and without the last turn's. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class GrowingChatBench {
    private static final int CHARS = 450_000;
    private static final int MESSAGE = 2_000;
    private static final String[] WORDS = {
        "the", "file", "return", "value", "=", "if", "not", "found", "error", "int", "(", ")", "{", "}", "test", "\n",
        "path",
    };

    private Tokenizer tokenizer;
    private ChatTemplate template;
    private ChatEncoder encoder;
    private ChatEncoder forgetful;
    private ChatInput before;
    private ChatInput after;
    private Text rendered;
    private Text renderedBefore;

    @Setup
    public void conversation() {
        Path model = Shared.root().resolve("models/glimmer-mini");
        tokenizer = HuggingFaceTokenizer.load(model);
        template = ChatTemplate.load(model).orElseThrow();
        forgetful = new ChatEncoder(tokenizer, template, true, PrefixTokenizationCache.off());
        before = chat(CHARS / MESSAGE);
        after = chat(CHARS / MESSAGE + 2);
        renderedBefore = template.render(before);
        rendered = template.render(after);
    }

    /** What the conversation's last turn left behind. */
    @Setup(Level.Invocation)
    public void lastTurn() {
        encoder = new ChatEncoder(tokenizer, template, true);
        encoder.encode(renderedBefore);
    }

    private static ChatInput chat(int messages) {
        Random random = new Random(1);
        ArrayNode list = Json.mapper().createArrayNode();
        for (int i = 0; i < messages; i++) {
            StringBuilder text = new StringBuilder();
            while (text.length() < MESSAGE) {
                text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
            }
            list.addObject().put("role", i % 2 == 0 ? "user" : "assistant").put("content", text.toString());
        }
        return ChatInput.of(list, Json.mapper().createArrayNode(), LocalDateTime.of(2026, 1, 1, 0, 0));
    }

    @Benchmark
    public Text render() {
        return template.render(after);
    }

    @Benchmark
    public TokenIds tokenizeWhatIsNew() {
        return encoder.encode(rendered);
    }

    @Benchmark
    public TokenIds tokenizeAll() {
        return forgetful.encode(rendered);
    }

    @Benchmark
    public ChatEncoder.Prompt renderAndTokenizeWhatIsNew() {
        return encoder.encode(after);
    }
}
