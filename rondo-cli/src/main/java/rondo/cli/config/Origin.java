package rondo.cli.config;

/** Where the value of a setting comes from; the weakest first in {@code permits}, and each knows how it is cited. */
public sealed interface Origin {
    /** As it is shown behind a value: {@code default}, {@code serve.yaml:12}, {@code --max_batch_size}, … */
    String cite();

    /** The built-in value. */
    record Default() implements Origin {
        @Override
        public String cite() {
            return "default";
        }
    }

    /**
     * A file of the checkpoint.
     *
     * @param file its name
     */
    record Checkpoint(String file) implements Origin {
        @Override
        public String cite() {
            return file;
        }
    }

    /**
     * The YAML file.
     *
     * @param file name as it was given
     * @param line from 1
     */
    record Yaml(String file, int line) implements Origin {
        @Override
        public String cite() {
            return file + ":" + line;
        }
    }

    /**
     * The command line.
     *
     * @param name the flag with its dashes
     */
    record Flag(String name) implements Origin {
        @Override
        public String cite() {
            return name;
        }
    }
}
