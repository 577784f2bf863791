package rondo.server;

import java.util.List;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** Fields of the API whose features are not there: any value but the default is refused by name. */
record Unsupported(String field, Predicate<JsonNode> isDefault, String why) {
    private static final Predicate<JsonNode> ONLY_NULL = value -> false;
    private static final Predicate<JsonNode> FALSE = value -> value.isBoolean() && !value.booleanValue();
    private static final Predicate<JsonNode> ZERO = value -> value.isNumber() && value.doubleValue() == 0;
    private static final Predicate<JsonNode> ONE = value -> value.isNumber() && value.doubleValue() == 1;
    private static final String BEAM = "there is no beam search";
    private static final String MEDIA = "this model reads text only";

    private static final List<Unsupported> ALL = List.of(
            new Unsupported("thinking_token_budget", ONLY_NULL, "it is not built yet"),
            new Unsupported("use_beam_search", FALSE, BEAM),
            new Unsupported("length_penalty", ONE, BEAM),
            new Unsupported("early_stopping", FALSE, BEAM),
            new Unsupported("top_p_min", ZERO, "it must be 0"),
            new Unsupported("lora_request", ONLY_NULL, "there is no LoRA"),
            new Unsupported("disaggregated_params", ONLY_NULL, "one process serves prefill and decode"),
            new Unsupported("mm_processor_kwargs", ONLY_NULL, MEDIA),
            new Unsupported("media_io_kwargs", ONLY_NULL, MEDIA));

    static void check(Fields body) throws ApiError {
        for (Unsupported one : ALL) {
            JsonNode value = body.raw(one.field);
            if (value != null && !one.isDefault.test(value)) {
                throw ApiError.unsupported(one.field, one.why);
            }
        }
    }
}
