package rondo.cpu;

import rondo.model.compute.Device;
import rondo.model.decoder.FormulaContract;

class CpuFormulaTest extends FormulaContract {
    @Override
    protected Device device() {
        return new CpuDevice(2);
    }
}
