package rondo.cpu;

import rondo.model.compute.Device;
import rondo.model.decoder.SameBitsContract;

class CpuSameBitsTest extends SameBitsContract {
    @Override
    protected Device device() {
        return new CpuDevice(2);
    }
}
