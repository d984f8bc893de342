package dev.ccbridge.core.tool;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Long work in steps. As many as fit into a part of a tick run together; the rest waits for the next tick, so that
 * players do not notice. The work ends early when its response is no longer needed.
 */
final class Steps {
    /** A tick has 50 ms. */
    private static final long BUDGET_NANOS = 15_000_000;

    private Steps() {}

    /** Runs {@code step} on the server's thread until it returns false. */
    static CompletableFuture<Void> run(ToolContext context, BooleanSupplier step) {
        // Scheduled from the server's own thread, the game would run the next steps at once and not in the next tick.
        return context.thread().call(() -> someOf(context, step)).thenComposeAsync(
                more -> more ? run(context, step) : CompletableFuture.completedFuture(null), context.background());
    }

    private static boolean someOf(ToolContext context, BooleanSupplier step) {
        long started = System.nanoTime();
        do {
            if (context.stopped().getAsBoolean() || !step.getAsBoolean()) return false;
        } while (System.nanoTime() - started < BUDGET_NANOS);
        return true;
    }
}
