package dev.ccbridge.core.api;

import dev.ccbridge.core.extension.Extensions;
import java.util.Map;

/**
 * Lets other mods and plugins offer tools and events to AI clients. May be called at any time and from any thread, also
 * before the server is linked; registrations are announced to every bridge that supports them.
 */
public final class McpApi {
    private McpApi() {}

    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** Offers a tool. Throws IllegalArgumentException when the name is taken, IllegalStateException beyond 64 tools or 240 KiB. */
    public static Registration registerTool(CustomTool tool, ToolHandler handler) {
        return Extensions.SHARED.registerTool(tool, handler);
    }

    /** Announces an event, named like {@code shop:sold}. Same exceptions as for tools. */
    public static Registration registerEvent(String name) {
        return Extensions.SHARED.registerEvent(name);
    }

    /**
     * Reports a registered event. Never blocks and never throws; false when no bridge will receive it: it is not
     * registered, is larger than 8 kB, or the bridge or the server's owner does not accept such events.
     */
    public static boolean emit(String name, Map<String, Object> data) {
        return Extensions.SHARED.emit(name, data);
    }
}
