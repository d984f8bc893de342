package dev.ccbridge.paper;

import dev.ccbridge.core.game.ServerThread;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.bukkit.Bukkit;
import org.bukkit.plugin.Plugin;

/** The server's main thread. Folia has none, and does not load this plugin. */
final class PaperThread implements ServerThread {
    private final Plugin plugin;

    PaperThread(Plugin plugin) {
        this.plugin = plugin;
    }

    @Override
    public <T> CompletableFuture<T> call(Supplier<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            Bukkit.getScheduler().runTask(plugin, () -> {
                try {
                    future.complete(work.get());
                } catch (RuntimeException | Error problem) {
                    future.completeExceptionally(problem);
                }
            });
        } catch (RuntimeException disabled) {
            future.completeExceptionally(disabled);
        }
        return future;
    }
}
