package rondo.agentx.client;

import java.nio.charset.StandardCharsets;
import java.util.List;
import rondo.agentx.plan.ByteSink;
import rondo.agentx.plan.Conversation;
import rondo.agentx.plan.Marker;
import rondo.agentx.plan.PromptText;
import rondo.agentx.plan.Segment;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.Turn;
import rondo.agentx.replay.TurnRequest;
import rondo.base.Json;
import tools.jackson.databind.node.ObjectNode;

/** Makes the JSON body of a turn (agentx-protocol.md W1); fillers and markers need no escaping. One thread at a time. */
final class BodyWriter {
    private static final byte[] ROLE = "{\"role\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CONTENT = "\",\"content\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "\"}".getBytes(StandardCharsets.US_ASCII);

    private final TargetOptions target;
    private final PromptText text;

    BodyWriter(TargetOptions target, PromptText text) {
        this.target = target;
        this.text = text;
    }

    byte[] write(TurnRequest request) {
        Turn turn = request.what();
        ByteSink out = new ByteSink(turn.promptTokens() * 8 + 1024);
        out.add("{\"messages\":[");
        messages(request, out);
        out.add("],");
        byte[] rest = Json.mapper().writeValueAsBytes(settings(turn));
        out.add(new String(rest, 1, rest.length - 1, StandardCharsets.UTF_8));
        return out.toArray();
    }

    private void messages(TurnRequest request, ByteSink out) {
        SessionPlan plan = request.play().plan();
        Conversation conversation = request.stream();
        List<Segment> segments = request.what().segments();
        Marker marker = request.play().marker();
        int marked = marker.target(segments);
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            if (i > 0) {
                out.add(",");
            }
            out.add(ROLE);
            out.add(segment.role().wire());
            out.add(CONTENT);
            if (i == marked) {
                out.add(escaped(marker.prefix()));
            }
            text.append(plan, conversation, request.turn(), segment, out);
            if (i == marked) {
                out.add(escaped(marker.suffix()));
            }
            out.add(END);
        }
    }

    private static String escaped(String marker) {
        return marker.replace("\n", "\\n");
    }

    private ObjectNode settings(Turn turn) {
        ObjectNode body = Json.mapper().createObjectNode();
        body.put("model", target.models().get(turn.model() % target.models().size()));
        body.put("stream", true);
        body.put(target.legacyMaxTokens() ? "max_tokens" : "max_completion_tokens", turn.maxTokens());
        target.extraInputs().forEach(body::set);
        if (!body.has("stream_options")) {
            ObjectNode options = body.putObject("stream_options");
            options.put("include_usage", true);
            if (target.perChunkUsage()) {
                options.put("continuous_usage_stats", true);
            }
        }
        return body;
    }
}
