package rondo.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import rondo.cli.config.FlagValue;

/** The flags of {@code rondo serve} that stand for a key of the configuration file (serve-config.md §7). */
final class ServeFlags {
    /**
     * One flag.
     *
     * @param names   the first is the one that messages cite
     * @param path    the key that it sets
     * @param value   label of its value; empty for a switch
     * @param about   one line of help
     * @param visible whether the help lists it
     */
    private record Flag(List<String> names, String path, String value, String about, boolean visible) {}

    private static final List<Flag> FLAGS = List.of(
            flag("--max_batch_size", "max_batch_size", "N", "Sequences in one step, and active at once."),
            flag("--max_num_tokens", "max_num_tokens", "N", "Tokens of one step."),
            flag("--max_seq_len", "max_seq_len", "N", "Prompt and output of one request, in tokens."),
            flag("--max_beam_width", "max_beam_width", "N", "Only 1."),
            flag(
                    List.of("--free_gpu_memory_fraction", "--kv_cache_free_gpu_memory_fraction"),
                    "kv_cache_config.free_gpu_memory_fraction",
                    "F",
                    "Share of the free memory for the KV cache."),
            flag("--enable_chunked_prefill", "enable_chunked_prefill", "", "Compute long prompts in chunks."),
            flag("--num_postprocess_workers", "num_postprocess_workers", "N", "Threads that turn tokens into text."),
            flag("--tokenizer", "tokenizer", "DIR", "Directory of the tokenizer, if not the model's."),
            flag("--custom_tokenizer", "custom_tokenizer", "NAME", "A built-in tokenizer variant."),
            flag("--tool_parser", "tool_parser", "NAME", "How tool calls are written; auto looks at the checkpoint."),
            flag("--reasoning_parser", "reasoning_parser", "NAME", "How reasoning is told from text."),
            flag("--enable_tokenization_cache", "enable_tokenization_cache", "", "Tokenize only what a prompt adds."),
            flag(
                    "--allow_request_chat_template",
                    "rondo.allow_request_chat_template",
                    "",
                    "A request may bring its own chat template."),
            flag("--device", "rondo.device", "NAME", "Back end: auto or cpu."),
            flag(
                    List.of("--tensor_parallel_size", "--tp_size"),
                    "tensor_parallel_size",
                    "N",
                    "Devices that share each layer."),
            hidden(List.of("--pipeline_parallel_size", "--pp_size"), "pipeline_parallel_size", "N"),
            hidden(List.of("--context_parallel_size", "--cp_size"), "context_parallel_size", "N"),
            hidden(List.of("--moe_expert_parallel_size", "--ep_size"), "moe_expert_parallel_size", "N"),
            hidden(List.of("--moe_cluster_parallel_size", "--cluster_size"), "--moe_cluster_parallel_size", "N"),
            hidden(List.of("--gpus_per_node"), "gpus_per_node", "N"),
            hidden(List.of("--backend"), "backend", "NAME"),
            hidden(List.of("--trust_remote_code"), "trust_remote_code", ""),
            hidden(List.of("--revision"), "revision", "NAME"),
            hidden(List.of("--otlp_traces_endpoint"), "otlp_traces_endpoint", "URL"),
            hidden(
                    List.of("--fail_fast_on_attention_window_too_large"),
                    "--fail_fast_on_attention_window_too_large",
                    ""),
            hidden(List.of("--metadata_server_config_file"), "--metadata_server_config_file", "FILE"),
            hidden(List.of("--server_role"), "--server_role", "NAME"),
            hidden(List.of("--disagg_cluster_uri"), "--disagg_cluster_uri", "URI"),
            hidden(List.of("--custom_module_dirs"), "--custom_module_dirs", "DIR"),
            hidden(List.of("--media_io_kwargs"), "--media_io_kwargs", "JSON"));

    private ServeFlags() {}

    private static Flag flag(String name, String path, String value, String about) {
        return flag(List.of(name), path, value, about);
    }

    private static Flag flag(List<String> names, String path, String value, String about) {
        return new Flag(names, path, value, about, true);
    }

    /** Accepted so that a recipe's command line runs; noted, refused or of one value only. */
    private static Flag hidden(List<String> names, String path, String value) {
        return new Flag(names, path, value, "As in the configuration file.", false);
    }

    static void addTo(CommandSpec spec) {
        for (Flag flag : FLAGS) {
            OptionSpec.Builder option = OptionSpec.builder(flag.names().toArray(new String[0]))
                    .description(flag.about())
                    .hidden(!flag.visible());
            if (flag.value().isEmpty()) {
                option.type(Boolean.class).arity("0..1").fallbackValue("true").paramLabel("true|false");
            } else {
                option.type(String.class).paramLabel(flag.value());
            }
            spec.addOption(option.build());
        }
    }

    /** What was given, in the order of the table. */
    static List<FlagValue> given(ParseResult parsed) {
        List<FlagValue> out = new ArrayList<>();
        for (Flag flag : FLAGS) {
            String name = flag.names().getFirst();
            if (parsed.hasMatchedOption(name)) {
                Object value = parsed.matchedOptionValue(name, "");
                out.add(new FlagValue(name, flag.path(), String.valueOf(value)));
            }
        }
        return List.copyOf(out);
    }
}
