package rondo.agentx.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import rondo.base.Json;
import rondo.base.UserError;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** Parses one trace object token by token: a long trace is mostly block ids, which go straight into arrays. */
final class TraceParser {
    private final JsonParser json;
    private final String file;
    private final int firstLine;
    private final Map<String, Integer> unknownKeys;
    private final Map<String, String> strings = new HashMap<>();
    private final StringBuilder path = new StringBuilder();

    private TraceParser(JsonParser json, String file, int firstLine, Map<String, Integer> unknownKeys) {
        this.json = json;
        this.file = file;
        this.firstLine = firstLine;
        this.unknownKeys = unknownKeys;
    }

    /** Parses {@code text}, which starts on line {@code firstLine} of {@code file}; counts unknown keys. */
    static Trace parse(byte[] text, String file, int firstLine, Map<String, Integer> unknownKeys) {
        try (JsonParser json = Json.mapper().createParser(text)) {
            TraceParser parser = new TraceParser(json, file, firstLine, unknownKeys);
            json.nextToken();
            Trace trace = parser.trace();
            if (json.nextToken() != null) {
                throw parser.fault("text after the trace object");
            }
            return trace;
        } catch (JacksonException e) {
            int line = firstLine
                    + Math.max(0, e.getLocation() == null ? 0 : e.getLocation().getLineNr() - 1);
            throw new UserError(UserError.USAGE, "trace: " + file + ":" + line + ": not JSON: " + Json.fault(e), e);
        }
    }

    private Trace trace() {
        expect(JsonToken.START_OBJECT, "a trace object");
        String id = "";
        Optional<List<String>> models = Optional.empty();
        int blockSize = 0;
        String scope = "";
        int tool = 0;
        int system = 0;
        Optional<List<TraceEntry>> entries = Optional.empty();
        JsonNode totals = NullNode.getInstance();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String key = json.currentName();
            int mark = enter(key);
            switch (key) {
                case "id" -> id = string();
                case "models" -> models = Optional.of(strings());
                case "block_size" -> blockSize = integer(1);
                case "hash_id_scope" -> scope = string();
                case "tool_tokens" -> tool = integer(0);
                case "system_tokens" -> system = integer(0);
                case "requests" -> entries = Optional.of(entries());
                case "totals" -> totals = json.readValueAsTree();
                default -> unknown();
            }
            path.setLength(mark);
        }
        if (blockSize == 0) {
            throw fault("block_size is missing");
        }
        if (id.isEmpty()) {
            throw fault("id is missing");
        }
        if (!scope.equals("local")) {
            throw fault(
                    scope.isEmpty()
                            ? "hash_id_scope is missing"
                            : "hash_id_scope must be 'local', got '" + scope + "'");
        }
        Trace trace = new Trace(
                id,
                models.orElseThrow(() -> fault("models is missing")),
                blockSize,
                tool,
                system,
                entries.orElseThrow(() -> fault("requests is missing")),
                totals);
        check(trace);
        return trace;
    }

    private List<TraceEntry> entries() {
        expect(JsonToken.START_ARRAY, "an array");
        List<TraceEntry> entries = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            int mark = index(entries.size());
            entries.add(new EntryParser().entry(true));
            path.setLength(mark);
        }
        return List.copyOf(entries);
    }

    /** The fields of one entry, whose kind is known only when {@code type} has been seen. */
    private final class EntryParser {
        private @Nullable Double t;
        private @Nullable String type;
        private @Nullable String model;
        private int in = -1;
        private int out = -1;
        private int[] ids = {};
        private List<String> inputTypes = List.of();
        private List<String> outputTypes = List.of();
        private String stop = "";
        private OptionalDouble api = OptionalDouble.empty();
        private OptionalDouble think = OptionalDouble.empty();
        private OptionalDouble ttft = OptionalDouble.empty();
        private @Nullable String agentId;
        private String subagentType = "";
        private String status = "";
        private OptionalDouble duration = OptionalDouble.empty();
        private OptionalLong totalTokens = OptionalLong.empty();
        private OptionalLong toolUses = OptionalLong.empty();
        private List<String> models = List.of();
        private int tool;
        private int system;
        private @Nullable List<TraceEntry> requests;

        TraceEntry entry(boolean topLevel) {
            expect(JsonToken.START_OBJECT, "an object");
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String key = json.currentName();
                int mark = enter(key);
                field(key);
                path.setLength(mark);
            }
            if (type == null) {
                throw fault("type is missing");
            }
            double time = required(t, "t");
            return switch (type) {
                case "n", "s" -> request(time);
                case "subagent" -> {
                    if (!topLevel) {
                        throw fault("a subagent inside a subagent is not allowed");
                    }
                    yield subagent(time);
                }
                default -> throw fault("type must be 'n', 's' or 'subagent', got '" + type + "'");
            };
        }

        private void field(String key) {
            switch (key) {
                case "t" -> t = optionalNumber().isPresent() ? json.getDoubleValue() : null;
                case "type" -> type = string();
                case "model" -> model = string();
                case "in" -> in = integer(1);
                case "out" -> out = integer(0);
                case "hash_ids" -> ids = ids();
                case "input_types" -> inputTypes = strings();
                case "output_types" -> outputTypes = strings();
                case "stop" -> stop = json.currentToken() == JsonToken.VALUE_NULL ? "" : string();
                case "api_time" -> api = optionalNumber();
                case "think_time" -> think = optionalNumber();
                case "ttft" -> ttft = optionalNumber();
                case "agent_id" -> agentId = string();
                case "subagent_type" -> subagentType = string();
                case "status" -> status = string();
                case "duration_ms" -> duration = optionalNumber();
                case "total_tokens" -> totalTokens = optionalLong();
                case "tool_use_count" -> toolUses = optionalLong();
                case "models" -> models = strings();
                case "tool_tokens" -> tool = integer(0);
                case "system_tokens" -> system = integer(0);
                case "requests" -> requests = nested();
                default -> unknown();
            }
        }

        private List<TraceEntry> nested() {
            expect(JsonToken.START_ARRAY, "an array");
            List<TraceEntry> list = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                int mark = index(list.size());
                list.add(new EntryParser().entry(false));
                path.setLength(mark);
            }
            return list;
        }

        private TraceRequest request(double time) {
            if (model == null) {
                throw fault("model is missing");
            }
            if (in < 1) {
                throw fault("in is missing");
            }
            if (out < 0) {
                throw fault("out is missing");
            }
            return new TraceRequest(
                    time, "s".equals(type), model, in, out, ids, inputTypes, outputTypes, stop, api, think, ttft);
        }

        private SubagentEntry subagent(double time) {
            if (agentId == null || agentId.isEmpty()) {
                throw fault("agent_id is missing");
            }
            if (requests == null) {
                throw fault("requests is missing");
            }
            List<TraceRequest> own = new ArrayList<>(requests.size());
            for (TraceEntry entry : requests) {
                own.add((TraceRequest) entry);
            }
            return new SubagentEntry(
                    time,
                    agentId,
                    subagentType,
                    status,
                    duration,
                    totalTokens,
                    toolUses,
                    models,
                    tool,
                    system,
                    List.copyOf(own));
        }

        private double required(@Nullable Double value, String name) {
            if (value == null) {
                throw fault(name + " is missing");
            }
            return value;
        }
    }

    /** What only the whole trace shows: lengths of id lists, unique agents. */
    private void check(Trace trace) {
        Set<String> agents = new HashSet<>();
        for (int i = 0; i < trace.entries().size(); i++) {
            switch (trace.entries().get(i)) {
                case TraceRequest r -> checkLength(trace, r, "requests[" + i + "]");
                case SubagentEntry s -> {
                    if (!agents.add(s.agentId())) {
                        throw fault("requests[" + i + "].agent_id '" + s.agentId() + "' occurs twice");
                    }
                    for (int k = 0; k < s.requests().size(); k++) {
                        checkLength(trace, s.requests().get(k), "requests[" + i + "].requests[" + k + "]");
                    }
                }
            }
        }
    }

    private void checkLength(Trace trace, TraceRequest r, String where) {
        long blocks = ((long) r.in() + trace.blockSize() - 1) / trace.blockSize();
        if (r.hashIds().length > blocks) {
            throw fault(where + ".hash_ids has " + r.hashIds().length + " ids, but in=" + r.in() + " has only " + blocks
                    + " blocks of " + trace.blockSize());
        }
    }

    private int[] ids() {
        expect(JsonToken.START_ARRAY, "an array of integers");
        int[] out = new int[1024];
        int n = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (n == out.length) {
                out = Arrays.copyOf(out, n * 2);
            }
            out[n++] = integer(Integer.MIN_VALUE);
        }
        return Arrays.copyOf(out, n);
    }

    private int integer(int least) {
        expect(JsonToken.VALUE_NUMBER_INT, "an integer");
        long value = json.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? Long.MAX_VALUE : json.getLongValue();
        if (value < least || value > Integer.MAX_VALUE) {
            throw fault(path + " must be from " + least + " to " + Integer.MAX_VALUE + ", got " + json.getString());
        }
        return (int) value;
    }

    private OptionalDouble optionalNumber() {
        JsonToken token = json.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return OptionalDouble.empty();
        }
        if (token == null || !token.isNumeric() || !Double.isFinite(json.getDoubleValue())) {
            throw fault(path + " must be a number, got " + json.getString());
        }
        return OptionalDouble.of(json.getDoubleValue());
    }

    private OptionalLong optionalLong() {
        OptionalDouble value = optionalNumber();
        return value.isPresent() ? OptionalLong.of((long) value.getAsDouble()) : OptionalLong.empty();
    }

    private String string() {
        expect(JsonToken.VALUE_STRING, "a string");
        String text = json.getString();
        return Optional.ofNullable(strings.putIfAbsent(text, text)).orElse(text);
    }

    private List<String> strings() {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return List.of();
        }
        expect(JsonToken.START_ARRAY, "an array of strings");
        List<String> out = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            out.add(string());
        }
        return List.copyOf(out);
    }

    private void unknown() {
        unknownKeys.merge(path.toString().replaceAll("\\[\\d+]", "[]"), 1, Integer::sum);
        json.skipChildren();
    }

    /** Steps into {@code key} and onto its value. */
    private int enter(String key) {
        int mark = path.length();
        if (mark > 0) {
            path.append('.');
        }
        path.append(key);
        json.nextToken();
        return mark;
    }

    private int index(int i) {
        int mark = path.length();
        path.append('[').append(i).append(']');
        return mark;
    }

    private void expect(JsonToken token, String what) {
        if (json.currentToken() != token) {
            throw fault((path.isEmpty() ? "the file" : path) + " must be " + what + ", got "
                    + (json.currentToken() == null ? "nothing" : json.getString()));
        }
    }

    private UserError fault(String what) {
        int line = firstLine + Math.max(0, json.currentTokenLocation().getLineNr() - 1);
        String where = path.isEmpty() || what.startsWith(path.toString()) ? "" : path + ".";
        return new UserError(UserError.USAGE, "trace: " + file + ":" + line + ": " + where + what);
    }
}
