package dev.ccbridge.core.tool;

import java.util.concurrent.CompletableFuture;

/** Arguments are validated before the game is used; the future has the response's data. */
@FunctionalInterface
interface Tool {
    CompletableFuture<Object> call(Arguments args, ToolContext context);
}
