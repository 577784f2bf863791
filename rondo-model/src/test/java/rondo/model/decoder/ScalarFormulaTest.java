package rondo.model.decoder;

import rondo.model.compute.Device;
import rondo.model.compute.scalar.ScalarDevice;

/** The scalar device under {@link FormulaContract}. */
class ScalarFormulaTest extends FormulaContract {
    @Override
    protected Device device() {
        return new ScalarDevice();
    }
}
