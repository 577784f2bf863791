package rondo.cli;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import rondo.base.Env;

/**
 * The standard error as the launcher found it. While the JVM starts, the launcher sends its errors through a filter
 * that drops the notice about the incubating vector module; from here on they go to the terminal itself again.
 */
final class Terminal {
    /** Number of the file descriptor under which the launcher has kept the real standard error. */
    static final String REAL_STDERR = "RONDO_STDERR_FD";

    private Terminal() {}

    static void restoreErrors(Env env) {
        Optional<Integer> kept =
                env.get(REAL_STDERR).filter(t -> t.matches("[0-9]{1,3}")).map(Integer::valueOf);
        if (kept.isEmpty()) {
            return;
        }
        try {
            Linker linker = Linker.nativeLinker();
            var dup2 = linker.downcallHandle(
                    linker.defaultLookup().find("dup2").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            int unused = (int) dup2.invokeExact(kept.get().intValue(), 2);
        } catch (Throwable e) {
            // The filter stays in between: everything is still shown.
            System.err.println("rondo: the standard error stays filtered: " + e);
        }
    }
}
