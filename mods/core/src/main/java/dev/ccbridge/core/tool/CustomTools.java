package dev.ccbridge.core.tool;

import dev.ccbridge.core.api.ToolHandler;
import dev.ccbridge.core.extension.Extensions;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.ErrorCode;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Calls the tools of other mods and plugins. */
final class CustomTools {
    private final Extensions extensions;

    CustomTools(Extensions extensions) {
        this.extensions = extensions;
    }

    CompletableFuture<Object> call(Arguments args, ToolContext context) {
        String name = args.text("name", 64);
        ToolHandler handler = extensions.handlerOf(name);
        if (handler == null) throw new RequestException(ErrorCode.INVALID_COMMAND, "There is no tool " + Json.write(name) + " on this server.");
        Map<String, Object> arguments = args.has("arguments") ? args.values("arguments") : Map.of();
        return context.onGame(game -> result(name, handler, arguments));
    }

    private static Object result(String name, ToolHandler handler, Map<String, Object> arguments) {
        try {
            Object value = handler.call(arguments);
            Json.write(value);
            return Json.object("result", value);
        } catch (RequestException failure) {
            throw failure;
        } catch (Exception failure) {
            String reason = failure.getMessage() == null ? failure.getClass().getName() : failure.getMessage();
            throw (RequestException) new RequestException(ErrorCode.SERVER_ERROR, name + " failed: " + reason).initCause(failure);
        }
    }
}
