package dev.ccbridge.fabric;

import dev.ccbridge.core.ModBridge;
import dev.ccbridge.core.Platform;
import dev.ccbridge.minecraft.MinecraftEvents;
import dev.ccbridge.minecraft.MinecraftGame;
import dev.ccbridge.minecraft.MinecraftThread;
import dev.ccbridge.minecraft.Slf4jLog;
import java.nio.file.Path;
import net.fabricmc.api.ModInitializer;
import net.fabricmc.fabric.api.entity.event.v1.ServerLivingEntityEvents;
import net.fabricmc.fabric.api.event.lifecycle.v1.ServerLifecycleEvents;
import net.fabricmc.fabric.api.event.player.PlayerBlockBreakEvents;
import net.fabricmc.fabric.api.message.v1.ServerMessageEvents;
import net.fabricmc.fabric.api.networking.v1.ServerPlayConnectionEvents;
import net.fabricmc.loader.api.FabricLoader;
import net.minecraft.server.MinecraftServer;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.server.level.ServerPlayer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The mod for Fabric: links the server from its start to its stop. */
public final class FabricMod implements ModInitializer {
    private static final String ID = "minecraft_mcp_bridge";
    private static final Logger LOG = LoggerFactory.getLogger("ccbridge");

    private final MinecraftEvents events = new MinecraftEvents();

    @Override
    public void onInitialize() {
        ServerLifecycleEvents.SERVER_STARTED.register(this::started);
        ServerLifecycleEvents.SERVER_STOPPING.register(server -> events.stop());
        ServerPlayConnectionEvents.JOIN.register((handler, sender, server) -> {
            if (isPlayer(handler.player)) events.join(handler.player);
        });
        ServerPlayConnectionEvents.DISCONNECT.register((handler, server) -> {
            if (isPlayer(handler.player)) events.quit(handler.player);
        });
        // The original text, without decorations of other mods.
        ServerMessageEvents.CHAT_MESSAGE.register((message, sender, parameters) -> {
            if (isPlayer(sender)) events.chat(sender, message.signedContent());
        });
        ServerLivingEntityEvents.AFTER_DEATH.register((entity, source) -> {
            if (isPlayer(entity)) events.death((ServerPlayer) entity, source);
        });
        // AFTER, because before it the block may still stay.
        PlayerBlockBreakEvents.AFTER.register((level, player, place, state, blockEntity) -> {
            if (isPlayer(player) && level instanceof ServerLevel serverLevel) {
                events.blockBreak((ServerPlayer) player, serverLevel, place, state);
            }
        });
    }

    private void started(MinecraftServer server) {
        FabricLoader loader = FabricLoader.getInstance();
        Path settings = loader.getConfigDir().resolve("minecraft-mcp-bridge.toml");
        String version = loader.getModContainer(ID).map(mod -> mod.getMetadata().getVersion().getFriendlyString()).orElse("unknown");
        events.start(ModBridge.start(new Platform(
                settings, "Fabric", server.getServerVersion(), version, new MinecraftGame(server), new MinecraftThread(server), Slf4jLog.sink(LOG))));
    }

    /** Machines and bots of other mods are players of other classes. */
    private static boolean isPlayer(Object entity) {
        return entity != null && entity.getClass() == ServerPlayer.class;
    }
}
