package rondo.cpu;

import rondo.model.compute.Device;
import rondo.model.decoder.GoldenContract;

class CpuGoldenTest extends GoldenContract {
    @Override
    protected Device device() {
        return new CpuDevice(2);
    }
}
