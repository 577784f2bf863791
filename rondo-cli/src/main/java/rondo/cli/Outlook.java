package rondo.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import rondo.base.UserError;
import rondo.cli.config.ByteSize;
import rondo.cli.config.ServeConfig;
import rondo.cpu.Cpu;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.StepLimits;
import rondo.kv.KvLayout;
import rondo.kv.PoolSizing;
import rondo.model.ModelShape;
import rondo.model.checkpoint.Checkpoint;

/**
 * What a server will have and hold, told before anything is loaded: of the checkpoint only {@code config.json} is read.
 *
 * @param weightBytes  of the weights on the device
 * @param stepBytes    of the largest step's buffers
 * @param memoryBytes  the device's, or what is free on this machine
 * @param deviceNamed  whether the device's size was given instead of looked at
 */
record Outlook(
        ServeConfig config,
        ModelShape model,
        long weightBytes,
        long stepBytes,
        long memoryBytes,
        boolean deviceNamed,
        MemoryPlan plan) {
    /** @param deviceMemory bytes of a device that need not be here; empty = this machine's CPU */
    static Outlook of(Path directory, ServeConfig config, OptionalLong deviceMemory) {
        Checkpoint.requireDirectory(directory);
        ModelShape model = ModelShape.read(directory, LocalServer.modelOptions(config));
        StepLimits limits = MemoryPlan.limits(config, model.facts().maxLength());
        boolean named = deviceMemory.isPresent();
        long weights = named ? model.weightBytes() : model.cpuBytes();
        long step = model.stepBytes(limits);
        long memory = deviceMemory.orElseGet(Cpu::freeBytes);
        long left = memory - weights - step;
        if (left <= 0) {
            StepSize.tooLarge(config, model::stepBytes, model.facts().maxLength(), memory - weights)
                    .ifPresent(fault -> {
                        throw fault;
                    });
            throw new UserError(
                    UserError.MEMORY,
                    "memory: weights of " + ByteSize.rounded(weights) + " and step buffers of " + ByteSize.rounded(step)
                            + " do not fit into " + ByteSize.rounded(memory)
                            + (named ? " (--device_memory)" : " (free on this machine)"));
        }
        MemoryBase base = named ? MemoryBase.ofDevice(left) : MemoryBase.ofCpu(config, MemoryBudget.ofOneMemory(left));
        try {
            MemoryPlan plan = MemoryPlan.of(config, model.facts(), base);
            return new Outlook(config, model, weights, step, memory, named, plan);
        } catch (UserError e) {
            throw withRemedy(e, config, model.facts().layout());
        }
    }

    /** A {@code max_seq_len} that does not fit: what it would take. */
    private static UserError withRemedy(UserError fault, ServeConfig config, KvLayout layout) {
        boolean tooLong = String.valueOf(fault.getMessage()).contains("holds no longer sequence");
        if (!tooLong || config.limits().maxSeqLen().isEmpty()) {
            return fault;
        }
        int wanted = config.limits().maxSeqLen().getAsInt();
        return new UserError(
                fault.exitCode(),
                fault.getMessage() + "\ncapacity: one sequence of " + wanted + " tokens takes "
                        + leastBytes(layout, wanted) + " bytes (" + ByteSize.rounded(leastBytes(layout, wanted))
                        + ") of KV cache: raise kv_cache_config.max_gpu_total_bytes, max_tokens,"
                        + " free_gpu_memory_fraction or rondo.cpu_kv_base, whichever binds, or lower max_seq_len");
    }

    /** Bytes with which one sequence of so many tokens can run to its end. */
    static long leastBytes(KvLayout layout, int tokens) {
        List<Integer> slots = PoolSizing.minSlots(layout, tokens);
        long bytes = 0;
        for (int lc = 0; lc < slots.size(); lc++) {
            bytes += slots.get(lc) * layout.pageBytes().get(lc);
        }
        return bytes;
    }

    Capacity capacity() {
        return Capacity.of(plan, config.kv().endpointRewind());
    }

    /** What a person might change, and what it would bring. */
    List<String> hints() {
        List<String> out = new ArrayList<>();
        Capacity capacity = capacity();
        out.add(batchHint(capacity));
        ratioHint(capacity, out);
        if (plan.hostBytes() == 0) {
            Capacity.Sessions row = typical(capacity);
            KvLayout layout = plan.pools().layout();
            long bytes = 0;
            List<Integer> pages =
                    Capacity.keptPages(layout, row.tokens(), config.kv().endpointRewind());
            for (int lc = 0; lc < pages.size(); lc++) {
                bytes += pages.get(lc) * layout.pageBytes().get(lc);
            }
            out.add("no host tier: what is evicted is computed again; kv_cache_config.host_cache_size keeps a paused"
                    + " session of " + row.tokens() + " tokens in " + ByteSize.rounded(bytes));
        }
        if (plan.bound() == MemoryPlan.LengthBound.POOLS) {
            out.add("max_seq_len is what half of the KV cache holds; given explicitly it may be as long as all of it");
        }
        return out;
    }

    private String batchHint(Capacity capacity) {
        String batch = "max_batch_size=" + config.limits().maxBatchSize() + " sessions ";
        int block = plan.pools().layout().tokensPerBlock();
        int length = capacity.lengthFor(config.limits().maxBatchSize());
        if (length == 0) {
            Capacity.Sessions shortest = capacity.sessions().getFirst();
            return batch + "never run at once: " + shortest.running() + " of " + shortest.tokens() + " tokens do";
        }
        return length >= plan.maxSeqLen() / block * block
                ? batch + "run at once, however long"
                : batch + "run at once up to " + length + " tokens each; of longer ones some wait or are paused";
    }

    /** The row that stands for an ordinary session: {@code avg_seq_len} where it is given, else 100,000 tokens. */
    private Capacity.Sessions typical(Capacity capacity) {
        int tokens = config.kv().avgSeqLen().orElse(100_000);
        return capacity.sessions().stream()
                .filter(s -> s.tokens() >= tokens)
                .findFirst()
                .orElse(capacity.sessions().getLast());
    }

    private void ratioHint(Capacity capacity, List<String> out) {
        KvLayout layout = plan.pools().layout();
        int rewind = config.kv().endpointRewind();
        Capacity.Sessions row = typical(capacity);
        if (layout.lifeCycles().size() == 1) {
            return;
        }
        List<Double> ratio = Capacity.evenRatio(layout, row.tokens(), rewind);
        if (ratio.stream().anyMatch(share -> share <= 0)) {
            return;
        }
        PoolSizing other = new PoolSizing(
                layout, plan.bytes(), plan.hostBytes(), ratio, config.kv().avgSeqLen(), rewind);
        if (other.fit(java.util.OptionalInt.of(plan.maxSeqLen()), plan.maxSeqLen())
                instanceof PoolSizing.Outcome.Fits fits) {
            MemoryPlan changed = new MemoryPlan(
                    fits.pools(), fits.maxSeqLen(), plan.bound(), plan.bytes(), plan.deviceBound(), plan.hostBytes());
            int kept = Capacity.of(changed, rewind).sessions().stream()
                    .filter(s -> s.tokens() == row.tokens())
                    .mapToInt(Capacity.Sessions::keptInAll)
                    .findFirst()
                    .orElse(0);
            // Less is not worth a line in a file.
            if (kept > row.keptInAll() * 1.1) {
                out.add(String.format(
                        Locale.ROOT,
                        "kv_cache_config.pool_ratio: %s would keep %d sessions of %d tokens instead of %d",
                        ratio,
                        kept,
                        row.tokens(),
                        row.keptInAll()));
            }
        }
    }
}
