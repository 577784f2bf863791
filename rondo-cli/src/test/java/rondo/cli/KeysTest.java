package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.Env;
import rondo.base.UserError;
import rondo.server.ServerOptions;

class KeysTest {
    private static Env env(String value) {
        return new Env(Map.of("RONDO_API_KEY", value));
    }

    @Test
    void thoseOfTheEnvironmentJoinThoseOfTheFile() {
        assertThat(Keys.of(List.of("a"), new Env(Map.of()))).containsExactly("a");
        assertThat(Keys.of(List.of("a"), env("b, c"))).containsExactly("a", "b", "c");
        assertThat(Keys.of(List.of(), env("b"))).containsExactly("b");
    }

    @Test
    void aServerThatOthersReachWithoutAKeyIsWarnedOf() {
        ServerOptions open = ServerOptions.builder().build();
        assertThat(Keys.exposure("0.0.0.0", open))
                .contains("whoever reaches 0.0.0.0 can use this server: set RONDO_API_KEY or rondo.api_keys_file to ask"
                        + " for a key");
        assertThat(Keys.exposure("localhost", open)).isEmpty();
        assertThat(Keys.exposure("127.0.0.1", open)).isEmpty();
        assertThat(Keys.exposure(
                        "0.0.0.0", ServerOptions.builder().apiKeys(List.of("k")).build()))
                .isEmpty();
        assertThat(Keys.exposure(
                        "0.0.0.0",
                        ServerOptions.builder().apiKeysFile(Path.of("k")).build()))
                .isEmpty();
    }

    /** A variable that was meant to lock the server must not leave it open. */
    @ParameterizedTest
    @ValueSource(strings = {" ", "a,,b", "a b", ",", "schlüssel"})
    void whatIsNoKeyEndsTheStartAndIsNotShown(String value) {
        assertThatThrownBy(() -> Keys.of(List.of(), env(value)))
                .isInstanceOf(UserError.class)
                .hasMessage("env: RONDO_API_KEY must be a key, or several with commas between them, each of printable"
                        + " ASCII without spaces, 1 to 512 characters");
    }
}
