package rondo.engine;

import java.util.List;

/** The engine as the front sees it; every method may be called from any thread. */
public interface GenerationService {
    EngineInfo info();

    /** The newest snapshot; never waits for the engine. */
    EngineStats stats();

    /** The steps since the last call, oldest first; of those long past only the newest are kept. */
    List<IterationRow> drainIterations();

    /**
     * Queues a generation; throws {@link RequestTooLarge} if the KV cache could never hold it.
     *
     * @param listener told whenever there is something to take; perhaps before this method has returned
     */
    Generation submit(GenerationRequest request, GenerationListener listener) throws QueueFull, NotServing;

    /** Asks the engine to drop all cached blocks that nobody holds, before its next step. */
    void clearPrefixCache();
}
