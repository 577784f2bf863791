package rondo.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Lets every long option be written with dashes or with underscores: {@code --max-batch-size}, {@code --max_batch_size}. */
final class Spelling {
    private final Map<String, String> known = new HashMap<>();

    private Spelling() {}

    static Spelling of(CommandLine command) {
        Spelling spelling = new Spelling();
        spelling.collect(command);
        return spelling;
    }

    private void collect(CommandLine command) {
        command.getCommandSpec().optionsMap().keySet().stream()
                .filter(name -> name.startsWith("--"))
                .forEach(name -> known.put(dashed(name), name));
        command.getSubcommands().values().forEach(this::collect);
    }

    private static String dashed(String name) {
        return name.replace('_', '-');
    }

    /** The arguments with every known option in the spelling under which it is declared. */
    String[] normalise(String... args) {
        List<String> out = new ArrayList<>(args.length);
        boolean literal = false;
        for (String arg : args) {
            literal |= arg.equals("--");
            int equals = arg.indexOf('=');
            String name = equals < 0 ? arg : arg.substring(0, equals);
            String declared = literal || !arg.startsWith("--") ? name : known.getOrDefault(dashed(name), name);
            out.add(equals < 0 ? declared : declared + arg.substring(equals));
        }
        return out.toArray(new String[0]);
    }
}
