package dev.ccbridge.core.game;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs work on the thread of the game. The future may never complete while the server stops: callers have their own
 * deadline.
 */
public interface ServerThread {
    <T> CompletableFuture<T> call(Supplier<T> work);
}
