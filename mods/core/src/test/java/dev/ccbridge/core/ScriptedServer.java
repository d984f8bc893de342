package dev.ccbridge.core;

import dev.ccbridge.core.api.CustomTool;
import dev.ccbridge.core.api.McpApi;
import dev.ccbridge.core.event.Events;
import dev.ccbridge.core.extension.Extensions;
import dev.ccbridge.core.fake.FakeGame;
import dev.ccbridge.core.fake.FakeThread;
import dev.ccbridge.core.game.EntityFacts;
import dev.ccbridge.core.game.Item;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.json.JsonReader;
import dev.ccbridge.core.link.Times;
import dev.ccbridge.core.log.LogSink;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * A game server as a process: the core with a fake game, controlled by lines of JSON on stdin, such as {@code
 * {"do":"join","player":"Steve"}}. Each is answered with a line of JSON and its {@code number}; log lines are between them. The argument is
 * the path of the settings.
 */
public final class ScriptedServer {
    /** Short, because a script waits for them. */
    private static final Times TIMES = new Times(20, 100, 100);
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private final FakeGame game = new FakeGame();
    private final FakeThread thread = new FakeThread();
    private final ModBridge mod;

    private ScriptedServer(Path settings) {
        mod = ModBridge.start(platform(settings, (level, line) -> OUT.println(level + " " + line)), Extensions.SHARED, TIMES);
    }

    private Platform platform(Path settings, LogSink log) {
        return new Platform(settings, "NeoForge", "1.21.1", "0.1.0", game, thread, log);
    }

    public static void main(String[] args) throws Exception {
        ScriptedServer server = new ScriptedServer(Path.of(args[0]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            // As on the console of a real server.
            if (line.equals("stop")) break;
            Map<String, Object> step = Json.asObject(JsonReader.read(line, 1_000_000));
            // The game may only be used on its thread.
            Object result = "start".equals(step.get("do")) ? server.logOfStart(step) : server.thread.call(() -> server.play(step)).get();
            OUT.println(Json.write(Json.object("did", step.get("number"), "result", result)));
        }
        server.mod.stop();
    }

    /** Starts another one with other settings, until its log has a text; gives the log. */
    private String logOfStart(Map<String, Object> step) throws InterruptedException {
        StringBuffer lines = new StringBuffer();
        CountDownLatch said = new CountDownLatch(1);
        ModBridge other = ModBridge.start(platform(Path.of((String) step.get("settings")), (level, line) -> {
            lines.append(level).append(' ').append(line).append('\n');
            if (line.contains((String) step.get("until"))) said.countDown();
        }), new Extensions(), TIMES);
        said.await();
        other.stop();
        return lines.toString();
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
            case "quit" -> {
                events.playerQuit(player, game.join(player).uuid);
                game.players.remove(player);
            }
            case "chat" -> events.playerChat(player, (String) step.get("message"));
            case "death" -> events.playerDeath(player, player + " fell from a high place", locationOf(step, place), (String) step.get("killer"));
            case "break" -> events.blockBreak(player, "minecraft:stone", locationOf(step, new Location("minecraft:overworld", 1, 63, 2)));
            case "players" -> {
                game.players.clear();
                for (Object name : (List<?>) step.get("names")) game.join((String) name);
            }
            case "player" -> {
                FakeGame.Player set = game.join(player);
                set.health = (Double) step.get("health");
                set.foodLevel = ((Double) step.get("foodLevel")).intValue();
                set.gameMode = (String) step.get("gameMode");
                set.location = locationOf(step, place);
                set.items.clear();
                for (Map<String, Object> item : objects(step, "inventory")) {
                    set.items.add(new Item((String) item.get("type"), ((Double) item.get("quantity")).intValue(), null));
                }
                return set.uuid;
            }
            case "server" -> {
                game.dayTime = ((Double) step.get("time")).longValue();
                game.raining = !"clear".equals(step.get("weather"));
                game.thundering = "thunder".equals(step.get("weather"));
                game.tps = (Double) step.get("tps");
            }
            case "uuid" -> {
                return new FakeGame().join(player).uuid;
            }
            case "surround" -> surround(step);
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

    /** Leaves nothing in the worlds but the given blocks and entities. */
    private void surround(Map<String, Object> step) {
        for (FakeGame.FakeWorld world : game.worlds.values()) {
            world.empty = true;
            world.blocks.clear();
            world.entities.clear();
        }
        for (Map<String, Object> block : objects(step, "blocks")) {
            Location at = locationOf(block, null);
            game.worlds.get(at.world()).blocks.put((int) at.x() + " " + (int) at.y() + " " + (int) at.z(), (String) block.get("type"));
        }
        for (Map<String, Object> entity : objects(step, "entities")) {
            Location at = locationOf(entity, null);
            game.worlds.get(at.world()).entities.add(new EntityFacts((String) entity.get("type"), at, null));
        }
    }

    private static List<Map<String, Object>> objects(Map<String, Object> step, String name) {
        return ((List<?>) step.get(name)).stream().map(Json::asObject).toList();
    }

    private static Location locationOf(Map<String, Object> step, Location otherwise) {
        Map<String, Object> at = Json.asObject(step.get("location"));
        return at == null ? otherwise : new Location((String) at.get("world"), (Double) at.get("x"), (Double) at.get("y"), (Double) at.get("z"));
    }
}
