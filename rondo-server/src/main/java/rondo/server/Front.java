package rondo.server;

import rondo.base.TimeSource;
import rondo.engine.GenerationService;
import rondo.server.kvevents.KvEvents;

/** What every part of the server works with. */
record Front(
        ServerOptions options,
        ServedModel model,
        GenerationService service,
        Metrics metrics,
        TimeSource time,
        SpecialTokens specials,
        KvEvents events) {}
