package rondo.cli;

import java.io.PrintWriter;
import rondo.agentx.Progress;

/** A run's progress on a terminal: one line that renews itself, or a line every few seconds where it is no terminal. */
final class TerminalProgress implements Progress {
    private static final double PLAIN_SECONDS = 5;

    private final PrintWriter out;
    private final boolean terminal;
    private double lastPlain = Double.NEGATIVE_INFINITY;
    private boolean open;

    TerminalProgress(PrintWriter out) {
        this(out, System.console() != null && System.console().isTerminal());
    }

    TerminalProgress(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    @Override
    public void note(String line) {
        end();
        out.println(line);
        out.flush();
    }

    @Override
    public void running(Live live) {
        if (terminal) {
            out.print("\r\033[K" + live.line());
            out.flush();
            open = true;
        } else if (live.seconds() - lastPlain >= PLAIN_SECONDS) {
            lastPlain = live.seconds();
            out.println(live.line());
            out.flush();
        }
    }

    /** Leaves the line that renews itself. */
    void end() {
        if (open) {
            out.println();
            out.flush();
            open = false;
        }
        lastPlain = Double.NEGATIVE_INFINITY;
    }
}
