import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.fake.FakeBridge;
import dev.ccbridge.core.json.Json;
import java.util.Map;

/** What every adapter of the game itself must answer, once its server is linked. */
final class GameChecks {
    private GameChecks() {}

    static void run(FakeBridge bridge, StubServer stub) throws Exception {
        stub.players.add(stub.player("Steve"));
        assertEquals("[\"Steve\"]", Json.write(bridge.call("get_online_players", Map.of()).get("data")));
        assertEquals(
                "{\"name\":\"Steve\",\"uuid\":\"00000000-0000-0001-0000-000000000002\",\"health\":18,\"foodLevel\":15,\"location\":{\"world\":\"minecraft:overworld\","
                        + "\"x\":1.5,\"y\":64,\"z\":-3},\"gameMode\":\"survival\",\"inventory\":[{\"type\":\"minecraft:bread\",\"quantity\":3}]}",
                Json.write(bridge.call("get_player_info", Json.object("player", "Steve")).get("data")));
        assertEquals("{\"version\":\"1.2.3\",\"onlinePlayers\":1,\"maxPlayers\":20,\"timeOfDay\":6000,\"weather\":\"rain\",\"tps\":10}",
                Json.write(bridge.call("get_server_info", Map.of()).get("data")));
        Map<String, Object> world = bridge.call("get_world_info", Json.object("x", 0, "y", 64, "z", 0, "radius", 1));
        assertEquals(7, ((java.util.List<?>) Json.asObject(world.get("data")).get("blocks")).size());
        assertEquals("{\"success\":true,\"message\":\"Did say hi\"}", Json.write(bridge.call("execute_command", Json.object("command", "/say hi")).get("data")));
        // The core removes exactly one slash: the game must run what the patterns were checked with.
        bridge.call("execute_command", Json.object("command", "//wand"));
        assertEquals("/wand", stub.ran.get(stub.ran.size() - 1));
        assertTrue(Json.write(bridge.call("execute_command", Json.object("command", "unknown"))).contains("INVALID_COMMAND"));
        assertTrue(Json.write(bridge.call("execute_command", Json.object("command", "throw"))).contains("the game threw"));
        assertEquals(true, bridge.call("teleport_player", Json.object("player", "Steve", "x", 1, "y", 2, "z", 3)).get("success"));
        assertEquals("execute at Steve run tp Steve 1.0 2.0 3.0", stub.ran.get(stub.ran.size() - 1));
    }
}
