package rondo.model.decoder;

import rondo.model.compute.Device;
import rondo.model.compute.scalar.ScalarDevice;

/** The scalar device against the reference. */
class ScalarGoldenTest extends GoldenContract {
    @Override
    protected Device device() {
        return new ScalarDevice();
    }

    @Override
    protected int longestPrompt() {
        return 300;
    }
}
