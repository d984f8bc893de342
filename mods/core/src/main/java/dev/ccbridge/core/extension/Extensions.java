package dev.ccbridge.core.extension;

import dev.ccbridge.core.api.CustomTool;
import dev.ccbridge.core.api.McpApi.Registration;
import dev.ccbridge.core.api.ToolHandler;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/** The tools and events of other mods and plugins. */
public final class Extensions {
    /** Shared by the whole server, because mods register before and after the link exists. */
    public static final Extensions SHARED = new Extensions();

    private static final int MAX_TOOLS = 64;
    /** All tools travel in one message of at most 256 KiB. */
    private static final int MAX_TOOL_BYTES = 240 * 1_024;
    /** A bridge accepts 64 event names, including the game's five. */
    private static final int MAX_EVENTS = 59;
    private static final int MAX_DATA = 8_192;

    private record Offered(CustomTool tool, ToolHandler handler) {}

    private final Map<String, Offered> tools = new LinkedHashMap<>();
    private final Set<String> events = new LinkedHashSet<>();
    private int toolBytes;
    private Runnable onChange = () -> {};
    private BiPredicate<String, Map<String, Object>> onEvent = (name, data) -> false;

    public synchronized void connect(Runnable onChange, BiPredicate<String, Map<String, Object>> onEvent) {
        this.onChange = onChange;
        this.onEvent = onEvent;
    }

    public synchronized void disconnect() {
        connect(() -> {}, (name, data) -> false);
    }

    public synchronized Registration registerTool(CustomTool tool, ToolHandler handler) {
        String name = tool.name();
        if (Settings.TOOLS.contains(name) || tools.containsKey(name)) throw new IllegalArgumentException("the name is taken: " + name);
        if (tools.size() >= MAX_TOOLS) throw new IllegalStateException("there are " + MAX_TOOLS + " custom tools already");
        if (toolBytes + bytesOf(tool) > MAX_TOOL_BYTES) throw new IllegalStateException("the custom tools are longer than " + MAX_TOOL_BYTES + " bytes together");
        toolBytes += bytesOf(tool);
        Offered offered = new Offered(tool, handler);
        tools.put(name, offered);
        onChange.run();
        return () -> remove(name, offered);
    }

    private synchronized void remove(String name, Offered offered) {
        if (!tools.remove(name, offered)) return;
        toolBytes -= bytesOf(offered.tool());
        onChange.run();
    }

    private static int bytesOf(CustomTool tool) {
        return Json.write(tool.toJson()).getBytes(StandardCharsets.UTF_8).length + 1;
    }

    public synchronized Registration registerEvent(String name) {
        if (!name.matches("[a-z0-9_.-]+:[a-z0-9_./-]+") || name.length() > 64) {
            throw new IllegalArgumentException("not an event's name, such as shop:sold: " + name);
        }
        if (events.contains(name)) throw new IllegalArgumentException("the name is taken: " + name);
        if (events.size() >= MAX_EVENTS) throw new IllegalStateException("there are " + MAX_EVENTS + " custom events already");
        events.add(name);
        onChange.run();
        return () -> removeEvent(name);
    }

    private synchronized void removeEvent(String name) {
        if (events.remove(name)) onChange.run();
    }

    public boolean emit(String name, Map<String, Object> data) {
        BiPredicate<String, Map<String, Object>> sink;
        synchronized (this) {
            if (!events.contains(name)) return false;
            sink = onEvent;
        }
        try {
            // Serialized to measure it, and so that data which JSON cannot represent fails here and not on the link.
            return Json.write(data).length() <= MAX_DATA && sink.test(name, data);
        } catch (RuntimeException notJson) {
            return false;
        }
    }

    public synchronized List<Map<String, Object>> describeTools() {
        return tools.values().stream().map(offered -> offered.tool().toJson()).toList();
    }

    public synchronized List<String> eventNames() {
        return List.copyOf(events);
    }

    /** Null when there is no such tool. */
    public synchronized ToolHandler handlerOf(String name) {
        Offered offered = tools.get(name);
        return offered == null ? null : offered.handler();
    }
}
