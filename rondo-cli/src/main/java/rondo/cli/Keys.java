package rondo.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import rondo.base.Env;
import rondo.base.UserError;
import rondo.server.KeyFile;
import rondo.server.ServerOptions;

/** The API keys that need no file of their own: those of the configuration and those of the environment. */
final class Keys {
    /** One key, or several with commas between them. */
    static final String VARIABLE = "RONDO_API_KEY";

    private Keys() {}

    /** What an operator should know who lets other machines in without asking them for a key. */
    static Optional<String> exposure(String host, ServerOptions options) {
        boolean open = options.apiKeys().isEmpty() && options.apiKeysFile().isEmpty();
        return open && !isLoopback(host)
                ? Optional.of("whoever reaches " + host + " can use this server: set " + VARIABLE
                        + " or rondo.api_keys_file to ask for a key")
                : Optional.empty();
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return true; // told already: nobody can listen there
        }
    }

    /**
     * All of them.
     *
     * @throws UserError if the variable is set to something that is no key: a server that seems locked must not be open
     */
    static List<String> of(List<String> configured, Env env) {
        List<String> keys = new ArrayList<>(configured);
        if (env.get(VARIABLE).isPresent()) {
            for (String key : env.get(VARIABLE).get().split(",", -1)) {
                if (!KeyFile.isKey(key.strip())) {
                    throw new UserError(
                            UserError.USAGE,
                            "env: " + VARIABLE
                                    + " must be a key, or several with commas between them, each of printable"
                                    + " ASCII without spaces, 1 to 512 characters");
                }
                keys.add(key.strip());
            }
        }
        return List.copyOf(keys);
    }
}
