package dev.ccbridge.minecraft;

import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.Item;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.game.PlayerFacts;
import dev.ccbridge.core.game.Said;
import dev.ccbridge.core.game.ServerFacts;
import dev.ccbridge.core.game.World;
import java.util.ArrayList;
import java.util.List;
import net.minecraft.core.registries.BuiltInRegistries;
import net.minecraft.resources.ResourceKey;
import net.minecraft.server.MinecraftServer;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.server.level.ServerPlayer;
import net.minecraft.world.item.ItemStack;
import net.minecraft.world.level.Level;

/** The game, with Mojang's names. What differs between versions is in {@link Version}. */
public final class MinecraftGame implements Game {
    private final MinecraftServer server;

    public MinecraftGame(MinecraftServer server) {
        this.server = server;
    }

    @Override
    public Said run(String command) {
        CapturedSource source = new CapturedSource();
        // The game removes one slash. Without this one it would remove the first slash of a command that begins with
        // two, and run another command than the one that the patterns allowed.
        server.getCommands().performPrefixedCommand(Version.sourceStack(server, source), "/" + command);
        return source.said();
    }

    @Override
    public String commandPrefix() {
        return "";
    }

    @Override
    public List<String> playerNames() {
        return server.getPlayerList().getPlayers().stream().map(Version::nameOf).toList();
    }

    @Override
    public PlayerFacts player(String name) {
        ServerPlayer player = server.getPlayerList().getPlayerByName(name);
        if (player == null) return null;
        return new PlayerFacts(
                Version.nameOf(player),
                player.getUUID().toString(),
                player.getHealth(),
                player.getFoodData().getFoodLevel(),
                locationOf(player),
                player.gameMode.getGameModeForPlayer().getName(),
                itemsOf(player));
    }

    @Override
    public ServerFacts server() {
        ServerLevel overworld = server.overworld();
        double tickMs = Version.tickMillis(server);
        return new ServerFacts(
                server.getServerVersion(),
                server.getPlayerList().getPlayerCount(),
                server.getPlayerList().getMaxPlayers(),
                Version.dayTime(overworld),
                overworld.isRaining(),
                overworld.isThundering(),
                tickMs > 0 ? 1_000 / tickMs : 20);
    }

    @Override
    public World world(String dimension) {
        ResourceKey<Level> key = Version.dimension(dimension);
        ServerLevel level = key == null ? null : server.getLevel(key);
        return level == null ? null : new MinecraftWorld(level, dimension);
    }

    public static Location locationOf(ServerPlayer player) {
        return new Location(Version.idOf(Version.levelOf(player)), player.getX(), player.getY(), player.getZ());
    }

    private static List<Item> itemsOf(ServerPlayer player) {
        List<Item> items = new ArrayList<>();
        for (int slot = 0; slot < player.getInventory().getContainerSize(); slot++) {
            ItemStack stack = player.getInventory().getItem(slot);
            if (stack.isEmpty()) continue;
            String type = String.valueOf(BuiltInRegistries.ITEM.getKey(stack.getItem()));
            items.add(new Item(type, stack.getCount(), Version.hasCustomName(stack) ? stack.getHoverName().getString() : null));
        }
        return items;
    }
}
