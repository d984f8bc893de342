package dev.ccbridge.core.link;

import java.util.function.DoubleSupplier;

/** Exponential backoff with jitter. */
public final class Backoff {
    private final long firstMs;
    private final long maxMs;
    private final DoubleSupplier random;
    private int failures;

    /** {@code random} returns numbers from 0 to 1. */
    public Backoff(long firstMs, long maxMs, DoubleSupplier random) {
        this.firstMs = firstMs;
        this.maxMs = Math.max(firstMs, maxMs);
        this.random = random;
    }

    /** Failed attempts in a row. */
    public int failures() {
        return failures;
    }

    public long next() {
        // 2^20 times any first delay exceeds the maximum.
        long wait = Math.min(maxMs, firstMs << Math.min(failures, 20));
        failures += 1;
        return Math.round(wait * (0.75 + random.getAsDouble() * 0.25));
    }

    public void reset() {
        failures = 0;
    }
}
