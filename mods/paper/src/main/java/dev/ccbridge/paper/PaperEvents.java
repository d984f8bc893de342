package dev.ccbridge.paper;

import dev.ccbridge.core.event.Events;
import io.papermc.paper.event.player.AsyncChatEvent;
import net.kyori.adventure.text.Component;
import org.bukkit.block.Block;
import org.bukkit.entity.Player;
import org.bukkit.event.EventHandler;
import org.bukkit.event.EventPriority;
import org.bukkit.event.Listener;
import org.bukkit.event.block.BlockBreakEvent;
import org.bukkit.event.entity.PlayerDeathEvent;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;

/** Reports events after all other plugins, except cancelled ones. Chat arrives on another thread. */
public final class PaperEvents implements Listener {
    private final Events events;

    PaperEvents(Events events) {
        this.events = events;
    }

    @EventHandler(priority = EventPriority.MONITOR)
    public void joined(PlayerJoinEvent event) {
        Player player = event.getPlayer();
        handle("player_join", player, () -> events.playerJoin(player.getName(), player.getUniqueId().toString()));
    }

    @EventHandler(priority = EventPriority.MONITOR)
    public void left(PlayerQuitEvent event) {
        Player player = event.getPlayer();
        handle("player_quit", player, () -> events.playerQuit(player.getName(), player.getUniqueId().toString()));
    }

    @EventHandler(priority = EventPriority.MONITOR, ignoreCancelled = true)
    public void chatted(AsyncChatEvent event) {
        Player player = event.getPlayer();
        handle("player_chat", player, () -> events.playerChat(player.getName(), PaperGame.plain(event.message())));
    }

    @EventHandler(priority = EventPriority.MONITOR, ignoreCancelled = true)
    public void died(PlayerDeathEvent event) {
        Player player = event.getEntity();
        handle("player_death", player, () -> {
            Component message = event.deathMessage();
            Player killer = player.getKiller();
            // Plugins and game rules may remove the message.
            String cause = message == null ? player.getName() + " died" : PaperGame.plain(message);
            events.playerDeath(player.getName(), cause, PaperGame.locationOf(player.getLocation()), killer == null ? null : killer.getName());
        });
    }

    @EventHandler(priority = EventPriority.MONITOR, ignoreCancelled = true)
    public void broke(BlockBreakEvent event) {
        Player player = event.getPlayer();
        Block block = event.getBlock();
        handle("block_break", player, () ->
                events.blockBreak(player.getName(), block.getType().getKey().toString(), PaperGame.locationOf(block.getLocation())));
    }

    /** Characters of plugins are players with this mark. */
    private void handle(String type, Player player, Runnable report) {
        events.handle(type, () -> {
            if (!player.hasMetadata("NPC")) report.run();
        });
    }
}
