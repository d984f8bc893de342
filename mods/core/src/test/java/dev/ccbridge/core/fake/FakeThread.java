package dev.ccbridge.core.fake;

import dev.ccbridge.core.game.ServerThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** The thread of a fake game. */
public final class FakeThread implements ServerThread, AutoCloseable {
    public final ExecutorService executor = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "Server thread");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public <T> CompletableFuture<T> call(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, executor);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
