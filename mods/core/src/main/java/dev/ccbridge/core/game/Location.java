package dev.ccbridge.core.game;

import dev.ccbridge.core.json.Json;
import java.util.Map;

public record Location(String world, double x, double y, double z) {
    public Map<String, Object> toJson() {
        return Json.object("world", world, "x", x, "y", y, "z", z);
    }
}
