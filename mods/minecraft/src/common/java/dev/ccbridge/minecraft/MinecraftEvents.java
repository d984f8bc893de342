package dev.ccbridge.minecraft;

import dev.ccbridge.core.ModBridge;
import dev.ccbridge.core.event.Events;
import dev.ccbridge.core.game.Location;
import net.minecraft.core.BlockPos;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.server.level.ServerPlayer;
import net.minecraft.world.damagesource.DamageSource;
import net.minecraft.world.level.block.state.BlockState;

/** Reports the loaders' events. Ignored before the start and after the stop. */
public final class MinecraftEvents {
    private volatile ModBridge bridge;

    public void start(ModBridge started) {
        bridge = started;
    }

    public void stop() {
        ModBridge running = bridge;
        bridge = null;
        if (running != null) running.stop();
    }

    public void join(ServerPlayer player) {
        handle("player_join", events -> events.playerJoin(Version.nameOf(player), player.getUUID().toString()));
    }

    public void quit(ServerPlayer player) {
        handle("player_quit", events -> events.playerQuit(Version.nameOf(player), player.getUUID().toString()));
    }

    public void chat(ServerPlayer player, String message) {
        handle("player_chat", events -> events.playerChat(Version.nameOf(player), message));
    }

    public void death(ServerPlayer player, DamageSource source) {
        handle("player_death", events -> events.playerDeath(
                Version.nameOf(player),
                source.getLocalizedDeathMessage(player).getString(),
                MinecraftGame.locationOf(player),
                source.getEntity() == null ? null : source.getEntity().getName().getString()));
    }

    public void blockBreak(ServerPlayer player, ServerLevel level, BlockPos place, BlockState state) {
        handle("block_break", events -> events.blockBreak(
                Version.nameOf(player),
                MinecraftWorld.blockId(state),
                new Location(Version.idOf(level), place.getX(), place.getY(), place.getZ())));
    }

    private interface Report {
        void to(Events events);
    }

    private void handle(String type, Report report) {
        ModBridge running = bridge;
        if (running != null) running.events().handle(type, () -> report.to(running.events()));
    }
}
