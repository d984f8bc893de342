package dev.ccbridge.core;

import dev.ccbridge.core.extension.Extensions;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.settings.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the server supports and its owner allows, and why the rest is unavailable. */
final class Capabilities {
    private Capabilities() {}

    static Map<String, Object> of(Settings settings, Extensions extensions) {
        Map<String, Object> notes = new LinkedHashMap<>();
        List<String> tools = allowed(Settings.TOOLS, settings.tools(), "commands.tools", notes);
        List<String> events = allowed(Settings.EVENTS, settings.events(), "events.enabled", notes);
        if (settings.customEvents()) events.addAll(extensions.eventNames());
        return Json.object("tools", tools, "events", events, "notes", notes);
    }

    private static List<String> allowed(List<String> known, Iterable<String> wanted, String key, Map<String, Object> notes) {
        List<String> allowed = new ArrayList<>();
        wanted.forEach(allowed::add);
        for (String name : known) {
            if (!allowed.contains(name)) notes.put(name, "The server's owner switched it off (" + key + " in its minecraft-mcp-bridge.toml).");
        }
        return allowed;
    }
}
