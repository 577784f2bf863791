package rondo.engine.spi;

import org.jspecify.annotations.Nullable;

/** A step that did not give all its results. */
public abstract sealed class StepFailure extends Exception permits StepFailure.RowsFailed, StepFailure.DeviceLost {
    private StepFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Some runs failed; the results of the others stand. */
    public static final class RowsFailed extends StepFailure {
        private final transient StepResult result;
        private final boolean[] failed;

        /** {@code failed[run]} for each run of the step. */
        public RowsFailed(String message, StepResult result, boolean[] failed) {
            super(message, null);
            this.result = result;
            this.failed = failed.clone();
        }

        public StepResult result() {
            return result;
        }

        public boolean failed(int run) {
            return failed[run];
        }
    }

    /** Nothing more can be computed. */
    public static final class DeviceLost extends StepFailure {
        public DeviceLost(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
