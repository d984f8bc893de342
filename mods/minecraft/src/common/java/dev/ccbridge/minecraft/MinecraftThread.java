package dev.ccbridge.minecraft;

import dev.ccbridge.core.game.ServerThread;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import net.minecraft.server.MinecraftServer;

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
                    // Nothing may be thrown into the tick: the server would stop.
                    future.completeExceptionally(problem);
                }
            });
        } catch (RuntimeException stopping) {
            future.completeExceptionally(stopping);
        }
        return future;
    }
}
