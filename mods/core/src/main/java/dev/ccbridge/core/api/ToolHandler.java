package dev.ccbridge.core.api;

import java.util.Map;

@FunctionalInterface
public interface ToolHandler {
    /**
     * Called on the game's thread with the arguments of the call. Returns a JSON value: null, a text, a number, a
     * boolean, a list or a map. An exception becomes the response's error.
     */
    Object call(Map<String, Object> arguments) throws Exception;
}
