package rondo.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** An answer in the form of chat completions (serve-config.md §4.3, §4.4). */
final class ChatAnswer extends Answer {
    ChatAnswer(
            Front front, Exchange exchange, PostprocessWorker worker, GenerationFields fields, List<Choice> choices) {
        super(front, exchange, worker, fields, choices, "chatcmpl-");
    }

    @Override
    String wholeObject() {
        return "chat.completion";
    }

    @Override
    String chunkObject() {
        return "chat.completion.chunk";
    }

    /** Writes the inside of a {@code delta}. */
    @FunctionalInterface
    private interface Delta {
        void write(JsonGenerator json) throws IOException;
    }

    @Override
    void writeChunks(Choice choice, ByteArrayOutputStream out) {
        if (choice.beginRole()) {
            chunk(choice, out, json -> {
                json.writeStringProperty("role", "assistant");
                json.writeStringProperty("content", "");
            });
        }
        for (Segment segment : choice.drain()) {
            chunk(choice, out, json -> {
                switch (segment.kind) {
                    case CONTENT -> json.writeStringProperty("content", segment.text.toString());
                    case REASONING -> json.writeStringProperty("reasoning_content", segment.text.toString());
                    case CALL, ARGUMENTS -> callDelta(segment, json);
                }
            });
        }
    }

    private static void callDelta(Segment segment, JsonGenerator json) throws IOException {
        boolean begins = segment.kind == Segment.Kind.CALL;
        json.writeArrayPropertyStart("tool_calls");
        json.writeStartObject();
        json.writeNumberProperty("index", segment.call);
        if (begins) {
            json.writeStringProperty("id", segment.callId);
            json.writeStringProperty("type", "function");
        }
        json.writeObjectPropertyStart("function");
        if (begins) {
            json.writeStringProperty("name", segment.text.toString());
        }
        json.writeStringProperty("arguments", begins ? "" : segment.text.toString());
        json.writeEndObject();
        json.writeEndObject();
        json.writeEndArray();
    }

    private void chunk(Choice choice, ByteArrayOutputStream out, Delta delta) {
        JsonBytes.event(out, json -> {
            beginChunk(json);
            json.writeArrayPropertyStart("choices");
            json.writeStartObject();
            json.writeNumberProperty("index", choice.index);
            json.writeObjectPropertyStart("delta");
            delta.write(json);
            json.writeEndObject();
            writeLogprobs(choice, json);
            json.writeNullProperty("finish_reason");
            json.writeEndObject();
            json.writeEndArray();
            endChunk(json);
        });
    }

    @Override
    void writeLastChunk(Choice choice, ByteArrayOutputStream out) {
        JsonBytes.event(out, json -> {
            beginChunk(json);
            json.writeArrayPropertyStart("choices");
            json.writeStartObject();
            json.writeNumberProperty("index", choice.index);
            json.writeObjectPropertyStart("delta");
            json.writeEndObject();
            writeLogprobs(choice, json);
            json.writeStringProperty("finish_reason", choice.finishReason());
            writeStopReason(choice, json);
            json.writeEndObject();
            json.writeEndArray();
            endChunk(json);
        });
    }

    private static void writeLogprobs(Choice choice, JsonGenerator json) throws IOException {
        if (choice.logprobs.pending()) {
            json.writeName("logprobs");
            choice.logprobs.writeChat(json);
        }
    }

    @Override
    void writeWholeChoice(Choice choice, JsonGenerator json) throws IOException {
        List<Segment> segments = choice.drain();
        StringBuilder content = new StringBuilder();
        StringBuilder reasoning = new StringBuilder();
        boolean calls = false;
        for (Segment segment : segments) {
            switch (segment.kind) {
                case CONTENT -> content.append(segment.text);
                case REASONING -> reasoning.append(segment.text);
                case CALL, ARGUMENTS -> calls = true;
            }
        }
        json.writeStartObject();
        json.writeNumberProperty("index", choice.index);
        json.writeObjectPropertyStart("message");
        json.writeStringProperty("role", "assistant");
        json.writeStringProperty("content", calls && content.isEmpty() ? null : content.toString());
        if (!reasoning.isEmpty()) {
            json.writeStringProperty("reasoning_content", reasoning.toString());
        }
        if (calls) {
            writeCalls(segments, json);
        }
        json.writeEndObject();
        if (choice.logprobs.wanted()) {
            json.writeName("logprobs");
            choice.logprobs.writeChat(json);
        }
        json.writeStringProperty("finish_reason", choice.finishReason());
        writeStopReason(choice, json);
        json.writeEndObject();
    }

    private static void writeCalls(List<Segment> segments, JsonGenerator json) throws IOException {
        json.writeArrayPropertyStart("tool_calls");
        for (Segment begin : segments) {
            if (begin.kind != Segment.Kind.CALL) {
                continue;
            }
            StringBuilder arguments = new StringBuilder();
            for (Segment part : segments) {
                if (part.kind == Segment.Kind.ARGUMENTS && part.call == begin.call) {
                    arguments.append(part.text);
                }
            }
            json.writeStartObject();
            json.writeStringProperty("id", begin.callId);
            json.writeStringProperty("type", "function");
            json.writeObjectPropertyStart("function");
            json.writeStringProperty("name", begin.text.toString());
            json.writeStringProperty("arguments", arguments.toString());
            json.writeEndObject();
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
