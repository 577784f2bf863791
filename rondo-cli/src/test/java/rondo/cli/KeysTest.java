package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.Env;
import rondo.base.UserError;

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
