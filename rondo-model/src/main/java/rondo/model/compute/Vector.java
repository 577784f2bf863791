package rondo.model.compute;

/** A small float32 vector (norm weights, biases, rope frequencies) where the device wants it. */
public interface Vector {
    int length();

    float get(int index);

    /** No elements. */
    Vector EMPTY = new Vector() {
        @Override
        public int length() {
            return 0;
        }

        @Override
        public float get(int index) {
            throw new IndexOutOfBoundsException(index);
        }
    };
}
