package dev.ccbridge.core.tool;

import dev.ccbridge.core.command.CommandPatterns;
import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.ServerThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * What a tool may use. {@code stopped} turns true when the response is due or no longer needed: work in several steps
 * ends there.
 */
record ToolContext(
        Game game, ServerThread thread, Executor background, CommandPatterns patterns, BooleanSupplier stopped) {
    CompletableFuture<Object> onGame(Function<Game, Object> work) {
        return thread.call(() -> work.apply(game));
    }
}
