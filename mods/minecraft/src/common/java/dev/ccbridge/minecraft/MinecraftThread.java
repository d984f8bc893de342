package dev.ccbridge.minecraft;

import dev.ccbridge.core.game.ServerThread;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import net.minecraft.server.MinecraftServer;

/** The server's own thread. */
public final class MinecraftThread implements ServerThread {
    private final MinecraftServer server;

    public MinecraftThread(MinecraftServer server) {
        this.server = server;
    }

    @Override
    public <T> CompletableFuture<T> call(Supplier<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            server.execute(() -> {
                try {
                    future.complete(work.get());
                } catch (RuntimeException | Error problem) {
                    // Whatever it is, it must not reach the tick: the server would stop.
                    future.completeExceptionally(problem);
                }
            });
        } catch (RuntimeException stopping) {
            future.completeExceptionally(stopping);
        }
        return future;
    }
}
