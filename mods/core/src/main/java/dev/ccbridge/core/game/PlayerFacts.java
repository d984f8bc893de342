package dev.ccbridge.core.game;

import dev.ccbridge.core.json.Json;
import java.util.List;
import java.util.Map;

public record PlayerFacts(
        String name, String uuid, double health, int foodLevel, Location location, String gameMode, List<Item> inventory) {
    public Map<String, Object> toJson() {
        return Json.object(
                "name", name,
                "uuid", uuid,
                "health", health,
                "foodLevel", foodLevel,
                "location", location.toJson(),
                "gameMode", gameMode,
                "inventory", inventory.stream().map(Item::toJson).toList());
    }
}
