package rondo.engine;

import java.util.List;
import java.util.function.Function;

/** An engine that says what the test wants: each request gets the grammar that the test chooses for it. */
public final class ForcingService implements GenerationService {
    private final GenerationService engine;
    private volatile Function<GenerationRequest, TokenConstraint> force = GenerationRequest::constraint;

    public ForcingService(GenerationService engine) {
        this.engine = engine;
    }

    /** From now on every request is made to say this, and then to end. */
    public void say(int[] tokens, int end) {
        force = r -> new ForcedTokens(tokens, end);
    }

    /** From now on nobody is forced. */
    public void sayWhatYouLike() {
        force = GenerationRequest::constraint;
    }

    @Override
    public EngineInfo info() {
        return engine.info();
    }

    @Override
    public EngineStats stats() {
        return engine.stats();
    }

    @Override
    public List<IterationRow> drainIterations() {
        return engine.drainIterations();
    }

    @Override
    public Generation submit(GenerationRequest request, GenerationListener listener) throws QueueFull, NotServing {
        return engine.submit(ColdTwin.with(request, force.apply(request)), listener);
    }

    @Override
    public void clearPrefixCache() {
        engine.clearPrefixCache();
    }
}
