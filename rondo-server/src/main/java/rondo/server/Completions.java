package rondo.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import rondo.base.TokenIds;
import rondo.engine.FinishReason;
import rondo.engine.GenerationRequest;
import rondo.engine.TokenConstraint;
import rondo.engine.grammar.Grammar;
import rondo.kv.CacheScope;
import rondo.kv.PromptKeys;
import rondo.kv.Retention;
import rondo.text.ChatInput;
import rondo.text.jinja.TemplateException;
import rondo.text.parse.OutputParser;
import rondo.text.parse.OutputParsers;
import rondo.text.parse.ReasoningStart;
import tools.jackson.databind.JsonNode;

/** From a request's bytes to queued generations: parse, check, template, tokenize, hash. On the request pool. */
final class Completions {
    /** Tokens at the end of a prompt that hold its last tag, however small they are. */
    private static final int TAIL = 32;

    private final Front front;
    private final List<PostprocessWorker> workers;
    private final Set<Answer> running = ConcurrentHashMap.newKeySet();

    Completions(Front front, List<PostprocessWorker> workers) {
        this.front = front;
        this.workers = workers;
    }

    GenerationFields.Context context() {
        return new GenerationFields.Context(
                front.model(),
                front.service().info().vocabulary(),
                front.service().info().maxSeqLen(),
                front.options());
    }

    void chat(Exchange exchange, byte[] body) throws ApiError {
        if (front.model().idsOnly()) {
            throw IdsOnly.refuse("messages");
        }
        submit(exchange, chatJob(ChatRequest.read(JsonTree.parse(body), context()), exchange));
    }

    void text(Exchange exchange, byte[] body) throws ApiError {
        CompletionRequest request = CompletionRequest.read(JsonTree.parse(body), context());
        if (front.model().idsOnly()) {
            IdsOnly.check(request);
        }
        submit(exchange, textJob(request, exchange));
    }

    /** An answer with the generations that it waits for. */
    private record Job(Answer answer, List<GenerationRequest> requests) {}

    // Body and request are out of scope when the job is queued: only token ids are held while it waits.
    private void submit(Exchange exchange, Job job) throws ApiError {
        Answer answer = job.answer;
        running.add(answer);
        exchange.onEnd(() -> running.remove(answer));
        answer.submit(job.requests);
    }

    private Job chatJob(ChatRequest chat, Exchange exchange) throws ApiError {
        GenerationFields fields = chat.generation();
        TokenIds prompt = truncated(chatPrompt(chat), fields.truncatePrompt());
        int maxTokens = maxTokens("messages", prompt.length(), chat.maxTokens());
        boolean tools = !chat.conversation().tools().isEmpty();
        List<GenerationRequest> requests = new ArrayList<>();
        List<Choice> choices = new ArrayList<>();
        PromptKeys keys = keys(prompt, fields);
        Optional<Grammar> grammar = grammar(chat.guided());
        ReasoningStart start = reasoningStart(prompt);
        for (int i = 0; i < fields.n(); i++) {
            boolean oneCall = tools && !chat.parallelToolCalls();
            choices.add(new Choice(
                    front,
                    fields,
                    i,
                    prompt.length(),
                    oneCall,
                    front.model().parsers().open(tools, start)));
            requests.add(request(exchange, fields, keys, grammar, maxTokens, i, i));
        }
        return new Job(new ChatAnswer(front, exchange, worker(exchange), fields, choices), requests);
    }

    /** From the last tokens, which hold no tag but the template's own or those of an answer that is to be gone on with. */
    private ReasoningStart reasoningStart(TokenIds prompt) {
        OutputParsers parsers = front.model().parsers();
        if (!parsers.readsReasoning()) {
            return ReasoningStart.ANSWER;
        }
        int[] tail = new int[Math.min(prompt.length(), TAIL)];
        prompt.copy(prompt.length() - tail.length, tail, 0, tail.length);
        return parsers.startOf(front.model().tokenizer().decode(tail, false));
    }

    private TokenIds chatPrompt(ChatRequest chat) throws ApiError {
        return chat.promptTokens().length() > 0
                ? chat.promptTokens()
                : encode(chat.conversation(), chat.template(), chat.maxTokens());
    }

    /** Renders and tokenizes a conversation; one that is far too long is refused unread. */
    TokenIds encode(ChatInput conversation, String template, int maxTokens) throws ApiError {
        long characters = 0;
        for (JsonNode message : conversation.messages()) {
            characters += length(message.path("content"));
        }
        checkCharacters("messages", characters, maxTokens);
        checkCount(conversation.messages().size(), maxTokens);
        TokenIds prompt;
        try {
            prompt = RequestTemplate.encode(front.model().chat(), conversation, template);
        } catch (TemplateException | IllegalArgumentException e) {
            throw ApiError.invalid("messages", "the chat template refuses these messages: " + e.getMessage());
        }
        if (prompt.length() == 0) {
            throw ApiError.invalid("messages", "'messages' make an empty prompt");
        }
        return prompt;
    }

    private static long length(JsonNode content) {
        if (content.isString()) {
            return content.stringValue().length();
        }
        long sum = 0;
        for (JsonNode part : content) {
            sum += length(part.path("text"));
        }
        return sum;
    }

    private Job textJob(CompletionRequest text, Exchange exchange) throws ApiError {
        GenerationFields fields = text.generation();
        List<GenerationRequest> requests = new ArrayList<>();
        List<Choice> choices = new ArrayList<>();
        List<String> echoes = new ArrayList<>();
        Optional<Grammar> grammar = grammar(text.guided());
        for (CompletionRequest.Prompt one : text.prompts()) {
            TokenIds prompt =
                    truncated(tokens(one, text.addSpecialTokens(), text.maxTokens()), fields.truncatePrompt());
            int maxTokens = maxTokens("prompt", prompt.length(), text.maxTokens());
            PromptKeys keys = keys(prompt, fields);
            if (text.echo()) {
                echoes.add(echo(one));
            }
            for (int i = 0; i < fields.n(); i++) {
                int index = choices.size();
                Choice choice = new Choice(front, fields, index, prompt.length(), false, OutputParser.plain());
                choices.add(choice);
                if (text.maxTokens() == 0) {
                    choice.endNow(FinishReason.LENGTH);
                } else {
                    requests.add(request(exchange, fields, keys, grammar, maxTokens, i, index));
                }
            }
        }
        return new Job(new CompletionAnswer(front, exchange, worker(exchange), fields, choices, echoes), requests);
    }

    /** The tokens of a prompt of either form; never none. */
    TokenIds tokens(CompletionRequest.Prompt prompt, boolean addSpecialTokens, int maxTokens) throws ApiError {
        TokenIds ids = switch (prompt) {
            case CompletionRequest.Prompt.Ids given -> given.ids();
            case CompletionRequest.Prompt.Text text -> {
                checkCharacters("prompt", text.text().length(), maxTokens);
                yield front.model().tokenizer().encode(text.text(), addSpecialTokens, true);
            }
        };
        if (ids.length() == 0) {
            throw ApiError.invalid("prompt", "'prompt' must not be empty");
        }
        return ids;
    }

    private String echo(CompletionRequest.Prompt prompt) {
        return switch (prompt) {
            case CompletionRequest.Prompt.Ids ids ->
                front.model().tokenizer().decode(ids.ids().toArray(), false);
            case CompletionRequest.Prompt.Text text -> text.text();
        };
    }

    private static TokenIds truncated(TokenIds prompt, int last) {
        if (last == 0 || prompt.length() <= last) {
            return prompt;
        }
        int[] kept = new int[last];
        prompt.copy(prompt.length() - last, kept, 0, last);
        return TokenIds.of(kept);
    }

    private PromptKeys keys(TokenIds prompt, GenerationFields fields) {
        CacheScope scope = fields.cacheSalt().isEmpty() ? CacheScope.unsalted() : CacheScope.salted(fields.cacheSalt());
        return PromptKeys.of(prompt, scope, front.service().info().tokensPerBlock());
    }

    /** No tokenizer packs so many characters into a token: such a text cannot fit, and need not be read to know it. */
    private void checkCharacters(String param, long characters, int maxTokens) throws ApiError {
        int maxSeqLen = front.service().info().maxSeqLen();
        long perToken = front.options().maxCharsPerToken();
        if (perToken > 0 && characters > perToken * maxSeqLen) {
            throw ApiError.contextLength(param, maxSeqLen, characters / perToken, Math.max(1, maxTokens));
        }
    }

    /** Every message takes a token at least: more of them than the context holds need not be rendered to know it. */
    private void checkCount(int messages, int maxTokens) throws ApiError {
        int maxSeqLen = front.service().info().maxSeqLen();
        if (messages > maxSeqLen) {
            throw ApiError.contextLength("messages", maxSeqLen, messages, Math.max(1, maxTokens));
        }
    }

    /** How many tokens may be generated: what was asked for, as far as the context leaves room. */
    private int maxTokens(String param, int prompt, int asked) throws ApiError {
        int maxSeqLen = front.service().info().maxSeqLen();
        int maxInput = front.options().maxInputLen();
        if (maxInput > 0 && prompt > maxInput) {
            throw ApiError.inputLength(param, maxInput, prompt);
        }
        int room = maxSeqLen - prompt;
        if (room <= 0 || asked > room && !front.options().clampMaxTokens()) {
            throw ApiError.contextLength(param, maxSeqLen, prompt, Math.max(1, asked));
        }
        return asked == 0 ? room : Math.min(asked, room);
    }

    private GenerationRequest request(
            Exchange exchange,
            GenerationFields fields,
            PromptKeys keys,
            Optional<Grammar> grammar,
            int maxTokens,
            int choice,
            int index) {
        String conversation = conversation(exchange, fields);
        return new GenerationRequest(
                exchange.id + "/" + index,
                keys,
                maxTokens,
                fields.sampling(choice),
                fields.stopRules(),
                fields.topLogprobs(),
                grammar.map(g -> g.start(front.model().endIds())).orElse(TokenConstraint.NONE),
                new Retention(keys.tokens(), conversation, false),
                fields.priority());
    }

    /** Compiled here, on the request's own thread, and remembered. */
    private Optional<Grammar> grammar(Optional<Guided> guided) throws ApiError {
        return guided.isEmpty() ? Optional.empty() : Optional.of(guided.get().compile(front.grammars()));
    }

    private static String conversation(Exchange exchange, GenerationFields fields) {
        if (!fields.conversation().isEmpty()) {
            return fields.conversation();
        }
        for (String name : List.of("X-Correlation-ID", "X-Dynamo-Session-ID", "X-Conversation-ID")) {
            String value = exchange.request.getHeader(name);
            if (value != null && !value.isBlank()) {
                return value;
            }
        }
        return fields.promptCacheKey();
    }

    private PostprocessWorker worker(Exchange exchange) {
        return workers.get(Math.floorMod(exchange.id.hashCode(), workers.size()));
    }

    /** Answers that are not complete yet. */
    int running() {
        return running.size();
    }

    void abortAll() {
        running.forEach(Answer::abort);
    }
}
