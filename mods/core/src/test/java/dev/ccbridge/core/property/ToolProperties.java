package dev.ccbridge.core.property;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.TestServer;
import dev.ccbridge.core.fake.FakeGame;
import dev.ccbridge.core.game.EntityFacts;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.json.Json;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.lifecycle.BeforeTry;

class ToolProperties {
    private static final String PATTERN = "^say [a-z ]{1,20}$";
    private static TestServer server;

    @BeforeContainer
    static void start() throws Exception {
        server = TestServer.linked("[commands]\nallowed_patterns = ['" + PATTERN + "', '^(throw|fail|list)( .*)?$']\n");
    }

    @AfterContainer
    static void stop() throws Exception {
        server.close();
    }

    /** With or without a reported success: Paper has none. */
    @BeforeTry
    void emptyServer() {
        server.game.players.clear();
        server.game.ran.clear();
        server.log.clear();
        server.game.hasVerdict = !server.game.hasVerdict;
        server.game.prefix = server.game.hasVerdict ? "" : "minecraft:";
    }

    // Feature: minecraft-mcp-bridge, Property 2: Command forwarding and execution
    @Property(tries = 200)
    void validInvocationsAreExecuted(@ForAll("acting") String tool, @ForAll("names") String name, @ForAll("locations") Location place, @ForAll("messages") String text)
            throws Exception {
        FakeGame.Player player = server.game.join(name);
        Map<String, Object> args = switch (tool) {
            case "send_message" -> Json.object("message", text, "target", name);
            case "teleport_player" -> Json.object("player", name, "x", place.x(), "y", place.y(), "z", place.z(), "world", place.world());
            case "give_item" -> Json.object("player", name, "item", "minecraft:diamond", "quantity", 3);
            default -> Json.object("command", "say hello");
        };
        Map<String, Object> answer = server.bridge.call(tool, args);
        assertEquals(true, answer.get("success"), () -> Json.write(answer));
        assertEquals(1, server.game.ran.size());
        if (tool.equals("send_message")) assertEquals(List.of(text), player.messages);
        if (tool.equals("give_item")) assertEquals("minecraft:diamond", player.items.get(0).type());
        if (tool.equals("teleport_player")) {
            assertEquals(place.world(), player.location.world());
            assertEquals(place.x(), player.location.x(), 1e-6);
        }
    }

    // Feature: minecraft-mcp-bridge, Property 3: Command failure error responses
    @Property(tries = 200, generation = GenerationMode.RANDOMIZED)
    void failuresAreExplained(@ForAll("failing") Map<String, Object> request) throws Exception {
        Map<String, Object> answer = server.bridge.call((String) request.get("tool"), Json.asObject(request.get("args")));
        assertEquals(false, answer.get("success"));
        Map<String, Object> error = Json.asObject(answer.get("error"));
        assertEquals(request.get("code"), error.get("code"), () -> Json.write(error));
        assertTrue(((String) error.get("message")).length() > 5);
        // Feature: minecraft-mcp-bridge, Property 15: Command failure logging
        String line = server.awaitLog("failed name=");
        assertTrue(line.startsWith("WARN") && line.contains("name=\"" + request.get("tool")) && line.contains("args=" + Json.write(request.get("args"))), line);
        assertTrue(line.contains(" message=") && line.contains(" stack=\"") && line.contains("\\n\\u0009at "), line);
    }

    // Feature: minecraft-mcp-bridge, Property 7: Command whitelist enforcement
    @Property(tries = 300)
    void commandsThatNoPatternFitsAreRefused(@ForAll("commands") String command) throws Exception {
        Assume.that(!command.replaceFirst("^/", "").matches("say [a-z ]{1,20}|(throw|fail|list)( .*)?"));
        for (String tool : List.of("execute_command", "execute_commands")) {
            boolean one = tool.equals("execute_command");
            Map<String, Object> answer = server.bridge.call(tool, one ? Json.object("command", command) : Json.object("commands", List.of(command)));
            assertTrue(Json.write(answer).contains("INVALID_COMMAND"), () -> Json.write(answer));
        }
        assertEquals(List.of(), server.game.ran);
    }

    // Feature: minecraft-mcp-bridge, Property 8: Player list query completeness
    @Property(tries = 100)
    void theListHoldsExactlyThePlayers(@ForAll("nameSets") Set<String> names) throws Exception {
        for (String name : names) server.game.join(name);
        Set<Object> listed = new HashSet<>((List<?>) server.bridge.call("get_online_players", Map.of()).get("data"));
        assertEquals(new HashSet<Object>(server.game.playerNames()), listed);
    }

    // Feature: minecraft-mcp-bridge, Property 9: Player info query completeness
    @Property(tries = 100)
    void playerInfoIsComplete(@ForAll("names") String name, @ForAll("locations") Location place) throws Exception {
        server.game.join(name).location = place;
        Map<String, Object> info = Json.asObject(server.bridge.call("get_player_info", Json.object("player", name.toLowerCase())).get("data"));
        assertEquals(Set.of("name", "uuid", "health", "foodLevel", "location", "gameMode", "inventory"), info.keySet());
        assertEquals(place.toJson(), info.get("location"));
        assertEquals(name, info.get("name"));
    }

    // Feature: minecraft-mcp-bridge, Property 10: Server info query completeness
    @Property(tries = 100)
    void serverInfoIsComplete(@ForAll long time, @ForAll boolean rain, @ForAll boolean thunder, @ForAll("nameSets") Set<String> names) throws Exception {
        for (String name : names) server.game.join(name);
        server.game.dayTime = time;
        server.game.raining = rain;
        server.game.thundering = thunder;
        Map<String, Object> info = Json.asObject(server.bridge.call("get_server_info", Map.of()).get("data"));
        assertEquals(Math.floorMod(time, 24_000L), ((Double) info.get("timeOfDay")).longValue());
        assertEquals(thunder ? "thunder" : rain ? "rain" : "clear", info.get("weather"));
        assertEquals((double) server.game.players.size(), info.get("onlinePlayers"));
        assertEquals("1.21.1", info.get("version"));
    }

    // Feature: minecraft-mcp-bridge, Property 11: World info query completeness
    @Property(tries = 100)
    void worldInfoHoldsWhatIsNear(@ForAll @IntRange(min = -900, max = 900) int x, @ForAll @IntRange(min = 55, max = 75) int y, @ForAll @IntRange(max = 4) int radius)
            throws Exception {
        FakeGame.FakeWorld world = server.game.worlds.get("minecraft:overworld");
        world.entities.clear();
        world.entities.add(new EntityFacts("minecraft:cow", new Location("minecraft:overworld", x + radius, y, 0), null));
        world.entities.add(new EntityFacts("minecraft:pig", new Location("minecraft:overworld", x + radius, y + radius + 0.5, 0), null));
        Map<String, Object> info =
                Json.asObject(server.bridge.call("get_world_info", Json.object("x", x, "y", y, "z", 0, "radius", radius)).get("data"));
        int near = 0;
        for (int dx = -radius; dx <= radius; dx++) {
            for (int dz = -radius; dz <= radius; dz++) {
                for (int dy = -radius; dy <= Math.min(radius, 63 - y); dy++) if (dx * dx + dy * dy + dz * dz <= radius * radius) near += 1;
            }
        }
        assertEquals(near, ((List<?>) info.get("blocks")).size());
        assertEquals(1, ((List<?>) info.get("entities")).size());
        assertFalse(info.containsKey("notes"));
    }

    @Provide
    Arbitrary<String> acting() {
        return Arbitraries.of("execute_command", "send_message", "teleport_player", "give_item");
    }

    @Provide
    Arbitrary<Map<String, Object>> failing() {
        return Arbitraries.of(
                failing("execute_command", Json.object("command", "fail"), "INVALID_COMMAND"),
                failing("execute_command", Json.object("command", "throw"), "SERVER_ERROR"),
                failing("execute_command", Map.of(), "INVALID_COMMAND"),
                failing("teleport_player", Json.object("player", "Gone", "x", 1, "y", 2, "z", 3), "PLAYER_NOT_FOUND"),
                failing("teleport_player", Json.object("player", "Gone", "x", 1e9, "y", 2, "z", 3), "INVALID_ARGS"),
                failing("give_item", Json.object("player", "Gone", "item", "stone", "quantity", 1), "PLAYER_NOT_FOUND"),
                failing("give_item", Json.object("player", "Gone", "item", "Stone {}", "quantity", 1), "INVALID_ARGS"),
                failing("give_item", Json.object("player", "@a", "item", "stone", "quantity", 1), "INVALID_ARGS"),
                failing("send_message", Json.object("message", "hi", "target", "Gone"), "PLAYER_NOT_FOUND"),
                failing("get_player_info", Json.object("player", "Gone"), "PLAYER_NOT_FOUND"),
                failing("get_world_info", Json.object("x", 0, "y", 0, "z", 0, "radius", 1, "world", "no:where"), "INVALID_ARGS"),
                failing("no_such_tool", Map.of(), "INVALID_COMMAND"));
    }

    private static Map<String, Object> failing(String tool, Map<String, Object> args, String code) {
        return Json.object("tool", tool, "args", args, "code", code);
    }

    @Provide
    Arbitrary<String> commands() {
        return Arbitraries.oneOf(
                Arbitraries.strings().ofMinLength(1).ofMaxLength(40),
                Arbitraries.of("op A", "/op A", "//say hi", " say hi", "minecraft:say hi", "execute run say hi", "say hi\nop A", "Say hi", "s\u0430y hi", "say " + "a".repeat(300)));
    }

    @Provide
    Arbitrary<Set<String>> nameSets() {
        return Generated.playerNames().set().ofMaxSize(20);
    }

    @Provide
    Arbitrary<String> names() {
        return Generated.playerNames();
    }

    @Provide
    Arbitrary<String> messages() {
        return Arbitraries.strings().withCharRange(' ', '~').withChars("\n\u00e4\u00f6\u2713\u4f60\"\\").ofMinLength(1).ofMaxLength(100);
    }

    @Provide
    Arbitrary<Location> locations() {
        return Generated.locations();
    }
}
