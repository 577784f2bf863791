package rondo.cli;

import java.util.ArrayList;
import java.util.List;
import rondo.base.Env;
import rondo.base.UserError;
import rondo.server.KeyFile;

/** The API keys that need no file of their own: those of the configuration and those of the environment. */
final class Keys {
    /** One key, or several with commas between them. */
    static final String VARIABLE = "RONDO_API_KEY";

    private Keys() {}

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
