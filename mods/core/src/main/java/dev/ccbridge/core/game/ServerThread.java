package dev.ccbridge.core.game;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Runs work on the game's thread. The future may never complete while the server stops: callers need a deadline. */
public interface ServerThread {
    <T> CompletableFuture<T> call(Supplier<T> work);
}
