package dev.ccbridge.core.game;

import dev.ccbridge.core.json.Json;
import java.util.Map;

/** {@code name} is null unless it has one beyond its type. */
public record EntityFacts(String type, Location location, String name) {
    public Map<String, Object> toJson() {
        Map<String, Object> json = Json.object("type", type, "location", location.toJson());
        if (name != null) json.put("name", name);
        return json;
    }
}
