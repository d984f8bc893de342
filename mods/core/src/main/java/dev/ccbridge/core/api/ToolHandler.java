package dev.ccbridge.core.api;

import java.util.Map;

/** What a custom tool does. */
@FunctionalInterface
public interface ToolHandler {
    /**
     * Called on the thread of the game with the arguments of the call. Returns something that JSON can hold: null, a
     * text, a number, a boolean, a list or a map. An exception becomes the answer's error.
     */
    Object call(Map<String, Object> arguments) throws Exception;
}
