package dev.ccbridge.core.game;

import dev.ccbridge.core.json.Json;
import java.util.Map;

/** {@code dayTime} keeps counting over the days; unknown values are null. */
public record ServerFacts(
        String version, int onlinePlayers, int maxPlayers, Long dayTime, boolean raining, boolean thundering, Double tps) {
    private static final long DAY_TICKS = 24_000;
    private static final double FULL_SPEED = 20;

    public Map<String, Object> toJson() {
        return Json.object(
                "version", version,
                "onlinePlayers", onlinePlayers,
                "maxPlayers", maxPlayers,
                "timeOfDay", dayTime == null ? null : Math.floorMod(dayTime, DAY_TICKS),
                "weather", thundering ? "thunder" : raining ? "rain" : "clear",
                "tps", tps == null ? null : Math.round(Math.min(tps, FULL_SPEED) * 100) / 100.0);
    }
}
