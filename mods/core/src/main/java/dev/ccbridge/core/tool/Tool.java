package dev.ccbridge.core.tool;

import java.util.concurrent.CompletableFuture;

/** One tool. Arguments are checked before the game is asked; the future has the answer's data. */
@FunctionalInterface
interface Tool {
    CompletableFuture<Object> call(Arguments args, ToolContext context);
}
