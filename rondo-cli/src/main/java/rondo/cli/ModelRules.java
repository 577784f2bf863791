package rondo.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import rondo.base.UserError;
import rondo.cli.config.ServeConfig;
import rondo.cpu.Cpu;
import rondo.model.ModelShape;

/** What a model's {@code config.json} makes wrong with a configuration, found before anything is loaded. */
final class ModelRules {
    private ModelRules() {}

    /**
     * The messages; none where the file itself cannot be understood, which whoever loads it says.
     *
     * @param deviceMemory bytes of a device that need not be here; empty = this machine's CPU
     */
    static List<String> problems(ServeConfig config, Path model, OptionalLong deviceMemory) {
        ModelShape shape;
        try {
            shape = ModelShape.read(model, LocalServer.modelOptions(config));
        } catch (UserError e) {
            return List.of();
        }
        int limit = shape.facts().maxLength();
        List<String> out = new ArrayList<>();
        tried(out, () -> config.maxSeqLenFor(limit));
        tried(
                out,
                () -> config.checkLifeCycles(shape.facts().layout().lifeCycles().size()));
        if (out.isEmpty()) {
            long free = deviceMemory.isPresent()
                    ? deviceMemory.getAsLong() - shape.weightBytes()
                    : Cpu.freeBytes() - shape.cpuBytes();
            StepSize.tooLarge(config, shape::stepBytes, limit, free).ifPresent(fault -> out.add(fault.getMessage()));
        }
        return out;
    }

    private static void tried(List<String> out, Runnable check) {
        try {
            check.run();
        } catch (UserError e) {
            out.add(String.valueOf(e.getMessage()));
        }
    }
}
