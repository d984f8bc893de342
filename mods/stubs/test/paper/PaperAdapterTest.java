package dev.ccbridge.paper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.fake.FakeBridge;
import dev.ccbridge.core.json.Json;
import io.papermc.paper.event.player.AsyncChatEvent;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.logging.Logger;
import net.kyori.adventure.text.Component;
import net.kyori.adventure.text.serializer.plain.PlainTextComponentSerializer;
import org.bukkit.GameMode;
import org.bukkit.Location;
import org.bukkit.Material;
import org.bukkit.NamespacedKey;
import org.bukkit.World;
import org.bukkit.block.Block;
import org.bukkit.command.CommandSender;
import org.bukkit.entity.Player;
import org.bukkit.event.EventHandler;
import org.bukkit.event.block.BlockBreakEvent;
import org.bukkit.event.entity.PlayerDeathEvent;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.inventory.ItemStack;
import org.bukkit.inventory.PlayerInventory;
import org.bukkit.plugin.PluginDescriptionFile;
import org.bukkit.plugin.PluginManager;
import org.bukkit.scheduler.BukkitScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import stubs.Answers;

@Timeout(180)
class PaperAdapterTest {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final PaperPlugin plugin = new PaperPlugin();
    private final List<String> ran = new ArrayList<>();
    private final NamespacedKey stone = Answers.set(new NamespacedKey(), "toString", "minecraft:stone");
    private final Material material = Answers.set(new Material(), "getKey", stone);
    private World world;
    private FakeBridge bridge;
    private PaperEvents events;
    private Consumer<Component> feedback;

    @BeforeEach
    void start() throws Exception {
        bridge = new FakeBridge();
        // The settings are in the server's working directory.
        Files.createDirectories(Path.of("config"));
        Files.move(stub("settingsFor", bridge).resolve("minecraft-mcp-bridge.toml"), Path.of("config/minecraft-mcp-bridge.toml"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        world = of(World.class, "getKey", Answers.set(new NamespacedKey(), "toString", "minecraft:overworld"), "getMinHeight", -64, "getMaxHeight", 320, "isChunkLoaded", true,
                "getFullTime", 30_000L, "isThundering", true, "getNearbyEntities", List.of());
        Answers.set(world, "getBlockAt", block());
        Answers.setStatic("plainText", of(PlainTextComponentSerializer.class, "serialize", (Function<Object[], Object>) args -> Answers.of(args[0], "text", null)));
        Answers.setStatic("getName", "Paper");
        Answers.setStatic("getMinecraftVersion", "1.21.4");
        Answers.setStatic("getWorlds", List.of(world));
        Answers.setStatic("getOnlinePlayers", List.of(player("Steve", false)));
        Answers.setStatic("getPlayerExact", player("Steve", false));
        Answers.setStatic("getMaxPlayers", 20);
        Answers.setStatic("getTPS", new double[] {19.5, 20, 20});
        Answers.setStatic("getScheduler", of(BukkitScheduler.class, "runTask", (Function<Object[], Object>) args -> {
            thread.execute((Runnable) args[1]);
            return null;
        }));
        Answers.setStatic("getPluginManager", of(PluginManager.class, "registerEvents", (Function<Object[], Object>) args -> events = (PaperEvents) args[0]));
        Answers.setStatic("createCommandSender", (Function<Object[], Object>) args -> {
            feedback = consumer(args[0]);
            return of(CommandSender.class);
        });
        Answers.setStatic("dispatchCommand", (Function<Object[], Object>) args -> dispatch((String) args[1]));
        Answers.set(plugin, "getLogger", Logger.getLogger("test"), "getDescription", Answers.set(new PluginDescriptionFile(), "getVersion", "9.9.9"));
        plugin.onEnable();
        bridge.nextCommand("hello");
    }

    @AfterEach
    void stop() throws Exception {
        plugin.onDisable();
        bridge.close();
        thread.shutdownNow();
    }

    @SuppressWarnings("unchecked")
    private static Consumer<Component> consumer(Object value) {
        return (Consumer<Component>) value;
    }

    private boolean dispatch(String line) {
        ran.add(line);
        if (line.startsWith("unknown")) return false;
        feedback.accept(text(line.startsWith("fail") ? "Unknown or incomplete command<--[HERE]" : line.contains(" tp ") ? "Teleported Steve" : "Did it"));
        return true;
    }

    private static Component text(String text) {
        return of(Component.class, "text", text);
    }

    private Block block() {
        return of(Block.class, "getType", material, "getLocation", place());
    }

    private Location place() {
        return Answers.set(new Location(world, 1, 2, 3), "getWorld", world, "getX", 1.0, "getY", 2.0, "getZ", 3.0);
    }

    private Player player(String name, boolean npc) {
        ItemStack item = Answers.set(new ItemStack(), "getType", material, "getAmount", 2);
        return of(Player.class, "getName", name, "getUniqueId", new UUID(1, 2), "hasMetadata", npc, "getHealth", 20.0, "getFoodLevel", 20, "getGameMode", GameMode.SURVIVAL,
                "getLocation", place(), "getInventory", of(PlayerInventory.class, "getContents", new ItemStack[] {null, item}));
    }

    private void play(Player player) {
        events.joined(Answers.set(new PlayerJoinEvent(), "getPlayer", player));
        events.chatted(Answers.set(new AsyncChatEvent(), "getPlayer", player, "message", text("hi")));
        events.broke(Answers.set(new BlockBreakEvent(), "getPlayer", player, "getBlock", block()));
        events.died(Answers.set(new PlayerDeathEvent(), "getEntity", player, "deathMessage", null));
        events.left(Answers.set(new PlayerQuitEvent(), "getPlayer", player));
    }

    @Test
    void reportsTheFiveEventsOfRealPlayersAndNeverThrows() throws Exception {
        play(player("Shopkeeper", true));
        play(of(Player.class));
        play(player("Steve", false));
        List<Object> seen = new ArrayList<>();
        for (int count = 0; count < 5; count++) seen.add(Json.write(bridge.nextEvent().get("data")));
        assertEquals("{\"player\":\"Steve\",\"message\":\"hi\"}", seen.get(1));
        assertEquals("{\"player\":\"Steve\",\"blockType\":\"minecraft:stone\",\"location\":{\"world\":\"minecraft:overworld\",\"x\":1,\"y\":2,\"z\":3}}", seen.get(2));
        assertTrue(seen.get(3).toString().contains("Steve died"));
    }

    /** Bukkit does not call handlers with this mark for cancelled events. */
    @Test
    void leavesCancelledEventsToBukkit() throws Exception {
        for (Method method : PaperEvents.class.getDeclaredMethods()) {
            String name = method.getName();
            if (!List.of("chatted", "died", "broke").contains(name)) continue;
            assertTrue(method.getAnnotation(EventHandler.class) == null || method.getAnnotation(EventHandler.class).ignoreCancelled(), name);
        }
    }

    @Test
    void servesTheGame() throws Exception {
        assertEquals("[\"Steve\"]", Json.write(bridge.call("get_online_players", Map.of()).get("data")));
        assertTrue(Json.write(bridge.call("get_player_info", Json.object("player", "Steve"))).contains("\"inventory\":[{\"type\":\"minecraft:stone\",\"quantity\":2}]"));
        assertEquals("{\"version\":\"1.21.4\",\"onlinePlayers\":1,\"maxPlayers\":20,\"timeOfDay\":6000,\"weather\":\"thunder\",\"tps\":19.5}",
                Json.write(bridge.call("get_server_info", Map.of()).get("data")));
        Map<String, Object> around = bridge.call("get_world_info", Json.object("x", 0, "y", 64, "z", 0, "radius", 1));
        assertEquals(7, ((List<?>) Json.asObject(around.get("data")).get("blocks")).size());
        assertEquals("{\"success\":true,\"message\":\"Did it\"}", Json.write(bridge.call("execute_command", Json.object("command", "/say hi")).get("data")));
        bridge.call("execute_command", Json.object("command", "//wand"));
        assertEquals("/wand", ran.get(ran.size() - 1));
        assertTrue(Json.write(bridge.call("execute_command", Json.object("command", "fail"))).contains("INVALID_COMMAND"));
        assertEquals(false, bridge.call("execute_command", Json.object("command", "unknown")).get("success"));
        assertEquals(true, bridge.call("teleport_player", Json.object("player", "Steve", "x", 1, "y", 2, "z", 3)).get("success"));
        assertEquals("minecraft:execute at Steve run tp Steve 1.0 2.0 3.0", ran.get(ran.size() - 1));
    }

    @Test
    void fillsItsQueueWithoutTrouble() throws Exception {
        bridge.close();
        Player steve = player("Steve", false);
        for (int count = 0; count < 2_200; count++) play(steve);
        assertTimeout(FakeBridge.STOP, plugin::onDisable);
    }

    @Test
    void stopsWhileACommandRuns() throws Exception {
        Answers.setStatic("getScheduler", of(BukkitScheduler.class));
        bridge.ask("command", "execute_command", Json.object("command", "say hi"));
        bridge.settle();
        assertTimeout(FakeBridge.STOP, plugin::onDisable);
        play(player("Steve", false));
    }

    /** {@code Stub} is in no package, because the tests of all adapters share it. */
    private static <T> T of(Class<T> type, Object... answers) {
        try {
            Method method = Class.forName("Stub").getDeclaredMethod("of", Class.class, Object[].class);
            method.setAccessible(true);
            return type.cast(method.invoke(null, type, answers));
        } catch (ReflectiveOperationException problem) {
            throw new AssertionError(problem);
        }
    }

    private static Path stub(String name, FakeBridge bridge) throws ReflectiveOperationException {
        Method method = Class.forName("Stub").getDeclaredMethod(name, FakeBridge.class);
        method.setAccessible(true);
        return (Path) method.invoke(null, bridge);
    }
}
