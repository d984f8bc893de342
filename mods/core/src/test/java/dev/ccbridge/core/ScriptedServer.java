package dev.ccbridge.core;

import dev.ccbridge.core.api.CustomTool;
import dev.ccbridge.core.api.McpApi;
import dev.ccbridge.core.event.Events;
import dev.ccbridge.core.fake.FakeGame;
import dev.ccbridge.core.fake.FakeThread;
import dev.ccbridge.core.game.EntityFacts;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.json.JsonReader;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A game server as a process: the core with a fake game, controlled by lines of JSON on stdin, such as {@code
 * {"do":"join","player":"Steve"}}. Each is answered with a line of JSON; log lines are between them. The argument is
 * the path of the settings.
 */
public final class ScriptedServer {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private final FakeGame game = new FakeGame();
    private final FakeThread thread = new FakeThread();
    private final ModBridge mod;

    private ScriptedServer(Path settings) {
        mod = ModBridge.start(new Platform(settings, "NeoForge", "1.21.1", "0.1.0", game, thread, (level, line) -> OUT.println(level + " " + line)));
    }

    public static void main(String[] args) throws Exception {
        ScriptedServer server = new ScriptedServer(Path.of(args[0]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            // As on the console of a real server.
            if (line.equals("stop")) break;
            Map<String, Object> step = Json.asObject(JsonReader.read(line, 1_000_000));
            // The game may only be used on its thread.
            Object result = server.thread.call(() -> server.play(step)).get();
            OUT.println(Json.write(Json.object("did", step.get("do"), "result", result)));
        }
        server.mod.stop();
    }

    private Object play(Map<String, Object> step) {
        Events events = mod.events();
        String player = (String) step.getOrDefault("player", "Steve");
        Location place = new Location("minecraft:overworld", 10.5, 64, -3.25);
        switch ((String) step.get("do")) {
            case "join" -> {
                FakeGame.Player joined = game.join(player);
                joined.location = place;
                events.playerJoin(joined.name, joined.uuid);
            }
            case "quit" -> events.playerQuit(player, game.players.remove(player).uuid);
            case "chat" -> events.playerChat(player, (String) step.get("message"));
            case "death" -> events.playerDeath(player, player + " fell from a high place", place, (String) step.get("killer"));
            case "break" -> events.blockBreak(player, "minecraft:stone", new Location("minecraft:overworld", 1, 63, 2));
            case "chats" -> {
                for (int count = 0; count < ((Double) step.get("count")).intValue(); count++) events.playerChat(player, "line " + count);
            }
            case "cow" -> game.worlds.get("minecraft:overworld").entities.add(new EntityFacts("minecraft:cow", place, null));
            case "tool" -> McpApi.registerTool(
                    new CustomTool((String) step.get("name"), "Says what it was given", Json.object("type", "object"), true), arguments -> arguments);
            case "event" -> McpApi.registerEvent((String) step.get("name"));
            case "emit" -> {
                return McpApi.emit((String) step.get("name"), Json.asObject(step.get("data")));
            }
            case "linked" -> {
                return mod.linked();
            }
            case "threads" -> {
                return Thread.getAllStackTraces().size();
            }
            case "memory" -> {
                System.gc();
                return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
            }
            case "state" -> {
                FakeGame.Player found = game.players.get(player);
                return Json.object("ran", List.copyOf(game.ran), "player", found == null ? null : game.player(player).toJson(), "messages", found == null ? null : found.messages);
            }
            default -> throw new IllegalArgumentException("unknown: " + step.get("do"));
        }
        return null;
    }
}
