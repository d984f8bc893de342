package dev.ccbridge.paper;

import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.Item;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.game.PlayerFacts;
import dev.ccbridge.core.game.Said;
import dev.ccbridge.core.game.ServerFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.kyori.adventure.text.Component;
import net.kyori.adventure.text.serializer.plain.PlainTextComponentSerializer;
import org.bukkit.Bukkit;
import org.bukkit.World;
import org.bukkit.command.CommandSender;
import org.bukkit.entity.Player;
import org.bukkit.inventory.ItemStack;

/** The game, through Paper's API. */
final class PaperGame implements Game {
    private static final int MAX_LINES = 1_000;

    @Override
    public Said run(String command) {
        List<String> lines = new ArrayList<>();
        CommandSender sender = Bukkit.createCommandSender(message -> {
            if (lines.size() < MAX_LINES) lines.add(plain(message));
        });
        boolean known = Bukkit.dispatchCommand(sender, command);
        // For the game's commands this only shows that the command exists: the output decides.
        return new Said(List.copyOf(lines), known ? null : Boolean.FALSE);
    }

    /** Plugins often replace commands such as {@code give}. */
    @Override
    public String commandPrefix() {
        return "minecraft:";
    }

    @Override
    public List<String> playerNames() {
        List<String> names = new ArrayList<>();
        for (Player player : Bukkit.getOnlinePlayers()) names.add(player.getName());
        return names;
    }

    @Override
    public PlayerFacts player(String name) {
        Player player = Bukkit.getPlayerExact(name);
        if (player == null) return null;
        return new PlayerFacts(
                player.getName(),
                player.getUniqueId().toString(),
                player.getHealth(),
                player.getFoodLevel(),
                locationOf(player.getLocation()),
                player.getGameMode().name().toLowerCase(Locale.ROOT),
                itemsOf(player));
    }

    @Override
    public ServerFacts server() {
        World world = Bukkit.getWorlds().get(0);
        return new ServerFacts(
                Bukkit.getMinecraftVersion(),
                Bukkit.getOnlinePlayers().size(),
                Bukkit.getMaxPlayers(),
                world.getFullTime(),
                world.hasStorm(),
                world.isThundering(),
                Bukkit.getTPS()[0]);
    }

    @Override
    public dev.ccbridge.core.game.World world(String dimension) {
        for (World world : Bukkit.getWorlds()) {
            if (world.getKey().toString().equals(dimension)) return new PaperWorld(world);
        }
        return null;
    }

    static String plain(Component component) {
        return PlainTextComponentSerializer.plainText().serialize(component);
    }

    static Location locationOf(org.bukkit.Location place) {
        return new Location(place.getWorld().getKey().toString(), place.getX(), place.getY(), place.getZ());
    }

    private static List<Item> itemsOf(Player player) {
        List<Item> items = new ArrayList<>();
        for (ItemStack stack : player.getInventory().getContents()) {
            if (stack == null || stack.getAmount() == 0) continue;
            boolean named = stack.hasItemMeta() && stack.getItemMeta().hasDisplayName();
            String name = named ? plain(stack.getItemMeta().displayName()) : null;
            items.add(new Item(stack.getType().getKey().toString(), stack.getAmount(), name));
        }
        return items;
    }
}
