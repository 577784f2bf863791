/** The memory: a paged KV cache with prefix reuse and life cycles. Pure Java: no threads, no clock, no native code. */
@NullMarked
package rondo.kv;

import org.jspecify.annotations.NullMarked;
