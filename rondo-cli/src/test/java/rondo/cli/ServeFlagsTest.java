package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import rondo.base.Env;

/** Every flag of trtllm-serve has its place here: a recipe's command line runs, or is told why not. */
class ServeFlagsTest {
    @TempDir
    Path model;

    private record Ran(int code, String err, ServeRequest request) {}

    private Ran run(String... flags) {
        AtomicReference<ServeRequest> served = new AtomicReference<>();
        String[] args = Stream.concat(Stream.of("serve", model.toString()), Stream.of(flags))
                .toArray(String[]::new);
        CommandLine rondo = RondoCommand.commandLine(
                request -> {
                    served.set(request);
                    return 0;
                },
                new Env(Map.of()),
                args);
        StringWriter err = new StringWriter();
        rondo.setErr(new PrintWriter(err, true)).setOut(new PrintWriter(new StringWriter()));
        int code = rondo.execute(Spelling.of(rondo).normalise(args));
        return new Ran(code, err.toString().strip(), served.get());
    }

    /** In the spelling of the original, and with dashes. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --host                          | 127.0.0.1
            --port                          | 0
            --custom_tokenizer              | auto
            --backend                       | pytorch
            --log_level                     | info
            --max_beam_width                | 1
            --max_batch_size                | 4
            --max_num_tokens                | 512
            --max_seq_len                   | 4096
            --tensor_parallel_size          | 1
            --tp_size                       | 1
            --pipeline_parallel_size        | 1
            --pp_size                       | 1
            --context_parallel_size         | 1
            --cp_size                       | 1
            --moe_expert_parallel_size      | 1
            --ep_size                       | 1
            --moe_cluster_parallel_size     | 1
            --cluster_size                  | 1
            --gpus_per_node                 | 1
            --free_gpu_memory_fraction      | 0.8
            --kv_cache_free_gpu_memory_fraction | 0.8
            --num_postprocess_workers       | 4
            --trust_remote_code             |
            --revision                      | main
            --tool_parser                   | hermes
            --enable_chunked_prefill        |
            --chat_template                 | {{ messages }}
            --served_model_name             | mini
            --enable_tokenization_cache     |
            --fail_fast_on_attention_window_too_large |
            --otlp_traces_endpoint          | http://localhost:4317
            --allow_request_chat_template   |
            --device                        | cpu
            """)
    void itIsTaken(String flag, String value) {
        for (String spelling : new String[] {flag, "--" + flag.substring(2).replace('_', '-')}) {
            Ran ran = value == null ? run(spelling) : run(spelling, value);
            assertThat(ran.err()).as(spelling).isEmpty();
            assertThat(ran.code()).as(spelling).isZero();
            assertThat(ran.request()).as(spelling).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --metadata_server_config_file | f.yaml  | one process serves prefill and decode
            --server_role                 | CONTEXT | one process serves prefill and decode
            --disagg_cluster_uri          | http://x | one process serves prefill and decode
            --custom_module_dirs          | /tmp    | no code of others is run
            --media_io_kwargs             | {}      | text only
            --tp_size                     | 2       | (devices on this machine)
            --pp_size                     | 2       | (pipeline parallelism is not supported)
            --cp_size                     | 2       | (context parallelism is not supported)
            --cluster_size                | 2       | (expert clusters are not supported)
            --max_beam_width              | 4       | (beam search is not supported)
            --custom_tokenizer            | deepseek_v32 | must be one of auto, huggingface
            """)
    void itIsRefusedWithTheReason(String flag, String value, String reason) {
        for (String spelling : new String[] {flag, "--" + flag.substring(2).replace('_', '-')}) {
            Ran ran = run(spelling, value);
            assertThat(ran.code()).isEqualTo(2);
            assertThat(ran.err())
                    .startsWith("config: ")
                    .contains(reason)
                    .contains("(--")
                    .hasLineCount(1);
            assertThat(ran.request()).isNull();
        }
    }
}
