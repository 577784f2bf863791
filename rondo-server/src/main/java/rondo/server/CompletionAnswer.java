package rondo.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** An answer in the form of text completions (serve-config.md §4.5). */
final class CompletionAnswer extends Answer {
    private final List<String> echoes;

    /**
     * @param echoes the text of each prompt, to be repeated before the first token; empty = no echo
     */
    CompletionAnswer(
            Front front,
            Exchange exchange,
            PostprocessWorker worker,
            GenerationFields fields,
            List<Choice> choices,
            List<String> echoes) {
        super(front, exchange, worker, fields, choices, "cmpl-");
        this.echoes = echoes;
    }

    @Override
    String wholeObject() {
        return "text_completion";
    }

    @Override
    String chunkObject() {
        return "text_completion";
    }

    private String echo(Choice choice) {
        return echoes.isEmpty() ? "" : echoes.get(choice.index / fields.n());
    }

    @Override
    void writeChunks(Choice choice, ByteArrayOutputStream out) {
        if (choice.beginRole() && !echo(choice).isEmpty()) {
            chunk(choice, out, echo(choice), false);
        }
        for (Segment segment : choice.drain()) {
            chunk(choice, out, segment.text.toString(), false);
        }
        if (choice.ids.pending()) {
            chunk(choice, out, "", false);
        }
    }

    @Override
    void writeLastChunk(Choice choice, ByteArrayOutputStream out) {
        chunk(choice, out, "", true);
    }

    private void chunk(Choice choice, ByteArrayOutputStream out, String text, boolean last) {
        JsonBytes.event(out, json -> {
            beginChunk(json);
            json.writeArrayPropertyStart("choices");
            writeChoice(choice, json, text, last);
            json.writeEndArray();
            endChunk(json);
        });
    }

    @Override
    void writeWholeChoice(Choice choice, JsonGenerator json) throws IOException {
        StringBuilder text = new StringBuilder(echo(choice));
        for (Segment segment : choice.drain()) {
            text.append(segment.text);
        }
        writeChoice(choice, json, text.toString(), true);
    }

    private void writeChoice(Choice choice, JsonGenerator json, String text, boolean last) throws IOException {
        json.writeStartObject();
        json.writeNumberProperty("index", choice.index);
        json.writeStringProperty("text", text);
        choice.ids.write(json);
        json.writeName("logprobs");
        if (choice.logprobs.pending() || choice.logprobs.wanted() && last && !fields.stream()) {
            choice.logprobs.writeText(json);
        } else {
            json.writeNull();
        }
        if (last) {
            json.writeStringProperty("finish_reason", choice.finishReason());
            writeStopReason(choice, json);
        } else {
            json.writeNullProperty("finish_reason");
        }
        json.writeEndObject();
    }
}
