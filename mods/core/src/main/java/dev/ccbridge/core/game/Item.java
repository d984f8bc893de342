package dev.ccbridge.core.game;

import dev.ccbridge.core.json.Json;
import java.util.Map;

/** {@code displayName} is null unless a player named it. */
public record Item(String type, int quantity, String displayName) {
    public Map<String, Object> toJson() {
        Map<String, Object> json = Json.object("type", type, "quantity", quantity);
        if (displayName != null) json.put("displayName", displayName);
        return json;
    }
}
