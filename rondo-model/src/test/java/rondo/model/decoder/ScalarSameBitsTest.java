package rondo.model.decoder;

import rondo.model.compute.Device;
import rondo.model.compute.scalar.ScalarDevice;

/** The scalar device under {@link SameBitsContract}. */
class ScalarSameBitsTest extends SameBitsContract {
    @Override
    protected Device device() {
        return new ScalarDevice();
    }
}
