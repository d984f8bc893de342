package dev.ccbridge.core.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.TestServer;
import dev.ccbridge.core.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class BlockToolsTest {
    private static final Map<String, Object> FROM = Json.object("x", 0, "y", 64, "z", 0);
    private static final Map<String, Object> TO = Json.object("x", 3, "y", 67, "z", 3);

    private static Map<String, Object> at(int x, int y, int z, String block) {
        return Json.object("x", x, "y", y, "z", z, "block", block);
    }

    private static Object data(TestServer server, String tool, Map<String, Object> args) throws Exception {
        Map<String, Object> answer = server.bridge.call(tool, args);
        return answer.get("success").equals(true) ? answer.get("data") : Json.asObject(answer.get("error")).get("message");
    }

    @Test
    void setsBlocksAndSaysWhatFailed() throws Exception {
        try (TestServer server = TestServer.linked()) {
            List<Object> blocks = List.of(at(0, 64, 0, "stone"), at(1, 64, 0, "minecraft:oak_log[axis=x]"), at(0, 63, 0, "grass_block"), at(5_000, 64, 0, "stone"));
            String dry = Json.write(data(server, "set_blocks", Json.object("blocks", blocks, "dryRun", true)));
            assertTrue(dry.startsWith("{\"changed\":2,\"unchanged\":1,\"failed\":1,\"dryRun\":true"), dry);
            assertEquals(List.of(), server.game.ran);
            String set = Json.write(data(server, "set_blocks", Json.object("blocks", blocks)));
            assertTrue(set.startsWith("{\"changed\":2,\"unchanged\":1,\"failed\":1,"), set);
            assertTrue(set.contains("\"before\":{\"world\":\"minecraft:overworld\",\"palette\":[\"minecraft:air\"],\"runs\":[0,64,0,2,0],\"exact\":true}"), set);
            assertTrue(set.contains("\"failures\":[{\"x\":5000") && set.contains("not loaded"), set);
            assertEquals("minecraft:stone", server.game.worlds.get("minecraft:overworld").blockAt(0, 64, 0));
            assertEquals("blocks.0.block: not a block's id, such as minecraft:stone or minecraft:oak_log[axis=x]",
                    data(server, "set_blocks", Json.object("blocks", List.of(at(0, 0, 0, "chest{Items:[]}")))));
        }
    }

    @Test
    void remembersWhatWasThereThroughFailuresAndRepeats() throws Exception {
        try (TestServer server = TestServer.linked()) {
            List<Object> blocks = List.of(at(0, 64, 0, "stone"), at(1, 64, 0, "cursed"), at(0, 64, 0, "dirt"), at(2, 64, 0, "stone"));
            String set = Json.write(data(server, "set_blocks", Json.object("blocks", blocks)));
            assertTrue(set.startsWith("{\"changed\":3,\"unchanged\":0,\"failed\":1,"), set);
            assertTrue(set.contains("\"palette\":[\"minecraft:air\"],\"runs\":[0,64,0,3,0]"), set);
            assertTrue(set.contains("perhaps after the change"), set);
        }
    }

    @Test
    void setsThousandsInStepsThatLeaveTheGameTimeForOthers() throws Exception {
        try (TestServer server = TestServer.linked()) {
            List<Object> blocks = new ArrayList<>();
            for (int index = 0; index < 4_000; index++) blocks.add(at(index % 100, 70 + index / 100, 0, "stone"));
            String id = server.bridge.ask("command", "set_blocks", Json.object("blocks", blocks));
            assertEquals(4_000.0, Json.asObject(server.bridge.answerTo(id).get("data")).get("changed"));
        }
    }

    @Test
    void fillsWithinTheBound() throws Exception {
        try (TestServer server = TestServer.linked()) {
            Map<String, Object> fill = Json.object("from", TO, "to", FROM, "block", "stone");
            Map<String, Object> dry = Json.object("from", TO, "to", FROM, "block", "stone", "dryRun", true);
            assertEquals(64.0, Json.asObject(data(server, "fill_blocks", dry)).get("changed"));
            assertEquals(64.0, Json.asObject(data(server, "fill_blocks", fill)).get("changed"));
            assertEquals("execute in minecraft:overworld run fill 0 64 0 3 67 3 stone replace", server.game.ran.get(0));
            assertEquals(0.0, Json.asObject(data(server, "fill_blocks", fill)).get("changed"));
            dry.put("mode", "hollow");
            assertEquals(8.0, Json.asObject(data(server, "fill_blocks", dry)).get("changed"));
            Map<String, Object> huge = Json.object("from", FROM, "to", Json.object("x", 32, "y", 95, "z", 32), "block", "stone");
            assertEquals("The box has 34848 blocks, where 32768 are the limit.", data(server, "fill_blocks", huge));
            assertEquals("filter: goes with the mode replace only",
                    data(server, "fill_blocks", Json.object("from", FROM, "to", TO, "block", "stone", "mode", "keep", "filter", "air")));
        }
    }

    @Test
    void findsBlocks() throws Exception {
        try (TestServer server = TestServer.linked()) {
            server.game.worlds.get("minecraft:overworld").blocks.put("1 65 2", "minecraft:diamond_ore");
            Map<String, Object> found = Json.asObject(data(server, "find_blocks", Json.object("from", FROM, "to", TO, "block", "diamond_ore")));
            assertEquals(1.0, found.get("found"));
            assertEquals("[{\"x\":1,\"y\":65,\"z\":2}]", Json.write(found.get("places")));
            Map<String, Object> air = Json.asObject(data(server, "find_blocks", Json.object("from", FROM, "to", TO, "block", "air", "limit", 5)));
            assertEquals(63.0, air.get("found"));
            assertEquals(5, ((List<?>) air.get("places")).size());
        }
    }

    @Test
    void runsABatchUntilTheFirstFailureOrToItsEnd() throws Exception {
        try (TestServer server = TestServer.linked("[commands]\nallowed_patterns = ['^(say|list|fail|throw).*$']\n")) {
            List<Object> commands = List.of("say a", "fail", "op A", "list");
            Map<String, Object> stopped = Json.asObject(data(server, "execute_commands", Json.object("commands", commands)));
            assertEquals(2.0, stopped.get("ran"));
            assertEquals(4, ((List<?>) stopped.get("results")).size());
            assertTrue(Json.write(stopped).contains("Not run: an earlier command failed."));
            server.game.ran.clear();
            Map<String, Object> all = Json.asObject(data(server, "execute_commands", Json.object("commands", commands, "stopOnFailure", false)));
            assertEquals(4.0, all.get("ran"));
            assertEquals(List.of("say a", "fail", "list"), server.game.ran);
            assertTrue(Json.write(((List<?>) all.get("results")).get(2)).contains("no pattern fits"));
            assertEquals("commands: must be a list of 1 to 100 entries", data(server, "execute_commands", Json.object("commands", new ArrayList<>(java.util.Collections.nCopies(101, "list")))));
        }
    }
}
