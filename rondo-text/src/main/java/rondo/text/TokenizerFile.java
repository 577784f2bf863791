package rondo.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import rondo.base.Json;
import rondo.base.UserError;
import rondo.text.Tokenizer.AddedToken;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * What Rondo itself needs from a {@code tokenizer.json}: vocabulary, added tokens, decoder, and the same file without
 * its special tokens for the native tokenizer (so that text which spells one stays text).
 *
 * <p>Read as a stream: the vocabulary and merges of a large tokenizer are tens of megabytes that need no tree.
 */
final class TokenizerFile {
    private static final int MAX_ID = 1 << 24;

    final List<AddedToken> added = new ArrayList<>();
    final String[] vocabulary;
    final JsonNode normalizer;
    final JsonNode preTokenizer;
    final JsonNode decoder;
    /** The file's text with the special ones taken out of {@code added_tokens}. */
    final String withoutSpecial;

    private String[] entries = new String[1 << 12];
    private int size;
    private final List<JsonNode> plainAdded = new ArrayList<>();
    private long addedFrom = -1;
    private long addedTo = -1;

    private TokenizerFile(byte[] json) {
        JsonNode normalizer = MissingNode.getInstance();
        JsonNode preTokenizer = MissingNode.getInstance();
        JsonNode decoder = MissingNode.getInstance();
        boolean model = false;
        try (JsonParser in = Json.mapper().createParser(json)) {
            expect(in.nextToken() == JsonToken.START_OBJECT, "the file is not a JSON object");
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                in.nextToken();
                switch (name) {
                    case "added_tokens" -> readAdded(in);
                    case "normalizer" -> normalizer = in.readValueAsTree();
                    case "pre_tokenizer" -> preTokenizer = in.readValueAsTree();
                    case "decoder" -> decoder = in.readValueAsTree();
                    case "model" -> {
                        readModel(in);
                        model = true;
                    }
                    default -> in.skipChildren();
                }
            }
        }
        expect(model && size > 0, "it has no model.vocab");
        this.normalizer = normalizer;
        this.preTokenizer = preTokenizer;
        this.decoder = decoder;
        added.sort(Comparator.comparingInt(AddedToken::id));
        for (AddedToken token : added) {
            put(token.id(), token.content());
        }
        this.vocabulary = Arrays.copyOf(entries, size);
        this.entries = vocabulary;
        this.withoutSpecial = splice(json);
    }

    /** Reads the file; a {@link UserError} names it when it is missing or broken. */
    static TokenizerFile read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new UserError(UserError.MODEL, "model: " + file + " not found: a checkpoint needs a tokenizer.json");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return new TokenizerFile(in.readAllBytes());
        } catch (IOException | UncheckedIOException e) {
            throw new UserError(UserError.MODEL, "model: cannot read " + file + ": " + e.getMessage(), e);
        } catch (JacksonException e) {
            throw new UserError(
                    UserError.MODEL,
                    "model: " + file + " is not valid JSON (line "
                            + e.getLocation().getLineNr() + "): " + Json.fault(e),
                    e);
        } catch (Malformed e) {
            throw new UserError(UserError.MODEL, "model: " + file + " is not a tokenizer: " + e.getMessage(), e);
        }
    }

    private void readAdded(JsonParser in) {
        if (in.currentToken() == JsonToken.VALUE_NULL) {
            return;
        }
        expect(in.currentToken() == JsonToken.START_ARRAY, "added_tokens must be an array");
        addedFrom = in.currentTokenLocation().getByteOffset();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            expect(in.currentToken() == JsonToken.START_OBJECT, "added_tokens must hold objects");
            JsonNode entry = in.readValueAsTree();
            JsonNode content = entry.path("content");
            int id = entry.path("id").asInt(-1);
            expect(content.isString() && id >= 0 && id < MAX_ID, "added token without content or id: " + entry);
            boolean special = entry.path("special").asBoolean(false);
            if (!special) {
                plainAdded.add(entry);
            }
            if (!content.stringValue().isEmpty()) {
                added.add(new AddedToken(
                        id,
                        content.stringValue(),
                        special,
                        entry.path("lstrip").asBoolean(false),
                        entry.path("rstrip").asBoolean(false),
                        entry.path("single_word").asBoolean(false)));
            }
        }
        addedTo = in.currentTokenLocation().getByteOffset() + 1;
    }

    private void readModel(JsonParser in) {
        expect(in.currentToken() == JsonToken.START_OBJECT, "model must be an object");
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = in.currentName();
            JsonToken value = in.nextToken();
            if (!name.equals("vocab")) {
                in.skipChildren();
            } else if (value == JsonToken.START_OBJECT) {
                while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                    String token = in.currentName();
                    expect(in.nextToken() == JsonToken.VALUE_NUMBER_INT, "model.vocab must map tokens to ids");
                    put(in.getIntValue(), token);
                }
            } else {
                expect(value == JsonToken.START_ARRAY, "model.vocab must be an object or an array");
                for (int id = 0; in.nextToken() == JsonToken.START_ARRAY; id++) {
                    expect(in.nextToken() == JsonToken.VALUE_STRING, "model.vocab must hold [token, score] pairs");
                    put(id, in.getString());
                    while (in.nextToken() != JsonToken.END_ARRAY) {
                        in.skipChildren();
                    }
                }
            }
        }
    }

    private void put(int id, String token) {
        expect(id >= 0 && id < MAX_ID, "token id " + id + " out of range");
        if (id >= entries.length) {
            entries = Arrays.copyOf(entries, Math.max(id + 1, entries.length * 2));
        }
        entries[id] = token;
        size = Math.max(size, id + 1);
    }

    private String splice(byte[] json) {
        if (addedFrom < 0) {
            return new String(json, StandardCharsets.UTF_8);
        }
        int from = Math.toIntExact(addedFrom);
        int to = Math.toIntExact(addedTo);
        return new String(json, 0, from, StandardCharsets.UTF_8)
                + Json.mapper().writeValueAsString(plainAdded)
                + new String(json, to, json.length - to, StandardCharsets.UTF_8);
    }

    /**
     * Whether a text may be cut between a line feed and a character that is neither white space nor a slash. True of
     * the split patterns of GPT-2, Qwen, Llama 3 and o200k: in each of them a pre-token that holds a line feed ends
     * with the run of line feeds (and, for o200k, slashes).
     */
    boolean cutsAtLineFeeds() {
        if (added.stream().anyMatch(t -> t.content().indexOf('\n') >= 0 || t.leftStrip())) {
            return false;
        }
        String form = normalizer.path("type").asString("");
        if (!(normalizer.isMissingNode() || normalizer.isNull() || form.equals("NFC"))) {
            return false;
        }
        JsonNode steps = preTokenizer.path("pretokenizers");
        JsonNode byteLevel = steps.isArray() ? steps.path(steps.size() - 1) : preTokenizer;
        if (!byteLevel.path("type").asString("").equals("ByteLevel")
                || byteLevel.path("add_prefix_space").asBoolean(true)) {
            return false;
        }
        if (!steps.isArray()) {
            return byteLevel.path("use_regex").asBoolean(true);
        }
        if (steps.size() != 2 || byteLevel.path("use_regex").asBoolean(true)) {
            return false;
        }
        JsonNode split = steps.path(0);
        String pattern = split.path("pattern").path("Regex").asString("");
        return split.path("behavior").asString("").equals("Isolated")
                && (pattern.endsWith("| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
                        || pattern.endsWith("| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"));
    }

    /** Whether the pre-tokenizer treats the very first piece of a text unlike later ones (SentencePiece's way). */
    boolean firstPieceDiffers() {
        JsonNode steps = preTokenizer.path("pretokenizers");
        Iterable<JsonNode> all = steps.isArray() ? steps : List.of(preTokenizer);
        for (JsonNode step : all) {
            if (step.path("type").asString("").equals("Metaspace")
                    && step.path("prepend_scheme").asString("always").equals("first")) {
                return true;
            }
        }
        return false;
    }

    private static void expect(boolean condition, String otherwise) {
        if (!condition) {
            throw new Malformed(otherwise);
        }
    }

    /** The entry of an id, or null where ids have a hole. */
    @Nullable
    String entry(int id) {
        return vocabulary[id];
    }

    /** The file is JSON but not a tokenizer that we can use. */
    static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Malformed(String message) {
            super(message);
        }
    }
}
