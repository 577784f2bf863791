package rondo.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import rondo.engine.TokenBatch;
import rondo.engine.spi.StepResult;
import rondo.text.Tokenizer;
import tools.jackson.core.JsonGenerator;

/** The log-probabilities of a choice's tokens that have not been sent yet; nothing at all where none are wanted. */
final class Logprobs {
    /** What stands for minus infinity. */
    private static final float NEVER = -9999.0f;

    private final Tokenizer tokenizer;
    private final int top;
    private int count;
    private int[] tokens = new int[0];
    private float[] values = new float[0];
    private boolean[] hidden = new boolean[0];
    private int[] alternatives = new int[0];
    private float[] alternativeValues = new float[0];
    /** Characters of the text before the first pending token (text form). */
    private int offset;

    /**
     * @param top alternatives per token; -1 = nothing is wanted
     */
    Logprobs(Tokenizer tokenizer, int top) {
        this.tokenizer = tokenizer;
        this.top = top;
    }

    boolean wanted() {
        return top >= 0;
    }

    boolean pending() {
        return count > 0;
    }

    /** Text that stands before the first token (an echoed prompt). */
    void skip(int characters) {
        offset += characters;
    }

    /**
     * @param unseen the token is no part of the text (it ended the choice): its bytes are given as none
     */
    void add(TokenBatch batch, int i, boolean unseen) {
        if (top < 0) {
            return;
        }
        if (count == tokens.length) {
            grow();
        }
        tokens[count] = batch.tokens[i];
        values[count] = batch.logprobs[i];
        hidden[count] = unseen;
        int from = i * StepResult.MAX_ALTERNATIVES;
        System.arraycopy(batch.alternatives, from, alternatives, count * top, top);
        System.arraycopy(batch.alternativeLogprobs, from, alternativeValues, count * top, top);
        count++;
    }

    private void grow() {
        int size = Math.max(16, 2 * count);
        tokens = Arrays.copyOf(tokens, size);
        values = Arrays.copyOf(values, size);
        hidden = Arrays.copyOf(hidden, size);
        alternatives = Arrays.copyOf(alternatives, size * top);
        alternativeValues = Arrays.copyOf(alternativeValues, size * top);
    }

    /** Writes {@code {"content":[…]}} of the pending tokens and forgets them. */
    void writeChat(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeArrayPropertyStart("content");
        for (int i = 0; i < count; i++) {
            json.writeStartObject();
            entry(json, tokens[i], values[i], hidden[i]);
            json.writeArrayPropertyStart("top_logprobs");
            for (int a = 0; a < top; a++) {
                json.writeStartObject();
                entry(json, alternatives[i * top + a], alternativeValues[i * top + a], false);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
        count = 0;
    }

    private void entry(JsonGenerator json, int id, float value, boolean unseen) throws IOException {
        byte[] bytes = tokenizer.bytes(id);
        json.writeStringProperty("token", printable(bytes));
        json.writeNumberProperty("logprob", finite(value));
        json.writeArrayPropertyStart("bytes");
        if (!unseen) {
            for (byte b : bytes) {
                json.writeNumber(b & 0xFF);
            }
        }
        json.writeEndArray();
    }

    /** Writes the text form's four parallel arrays of the pending tokens and forgets them. */
    void writeText(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeArrayPropertyStart("text_offset");
        for (int i = 0; i < count; i++) {
            json.writeNumber(offset);
            offset += hidden[i] ? 0 : printable(tokenizer.bytes(tokens[i])).length();
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("token_logprobs");
        for (int i = 0; i < count; i++) {
            json.writeNumber(finite(values[i]));
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("tokens");
        for (int i = 0; i < count; i++) {
            json.writeString(printable(tokenizer.bytes(tokens[i])));
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("top_logprobs");
        for (int i = 0; i < count; i++) {
            json.writeStartObject();
            for (int a = 0; a < top; a++) {
                String name = printable(tokenizer.bytes(alternatives[i * top + a]));
                json.writeNumberProperty(name, finite(alternativeValues[i * top + a]));
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
        count = 0;
    }

    private static String printable(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static float finite(float value) {
        return Float.isFinite(value) ? value : NEVER;
    }
}
