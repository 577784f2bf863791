package rondo.cpu;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import rondo.model.compute.Device;
import rondo.model.compute.Ops;
import rondo.model.compute.Weight;

/** A device that counts what its matrix products must do at least, for figures as shares of the machine's ceilings. */
final class CountedWork {
    /** Multiplications and additions of matrix products. */
    long operations;

    /** Bytes of the weights of matrix products, each product reading its weight once. */
    long weightBytes;

    Device around(Device device) {
        Ops counted = wrap(Ops.class, device.ops(), device.ops());
        return wrap(Device.class, device, counted);
    }

    void reset() {
        operations = 0;
        weightBytes = 0;
    }

    private <T> T wrap(Class<T> type, T target, Ops ops) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("ops")) {
                        return ops;
                    }
                    if (method.getName().equals("linear")) {
                        count((Weight) arguments[3], (int) arguments[2]);
                    } else if (method.getName().equals("logits")) {
                        count((Weight) arguments[4], (int) arguments[3]);
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private void count(Weight weight, int rows) {
        operations += 2L * rows * weight.rows() * weight.columns();
        weightBytes += weight.bytes();
    }
}
