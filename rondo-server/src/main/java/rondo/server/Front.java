package rondo.server;

import rondo.base.TimeSource;
import rondo.engine.GenerationService;
import rondo.engine.grammar.GrammarCompiler;
import rondo.server.kvevents.KvEvents;

/** What every part of the server works with. */
record Front(
        ServerOptions options,
        ServedModel model,
        GenerationService service,
        Metrics metrics,
        TimeSource time,
        SpecialTokens specials,
        GrammarCompiler grammars,
        KvEvents events) {}
