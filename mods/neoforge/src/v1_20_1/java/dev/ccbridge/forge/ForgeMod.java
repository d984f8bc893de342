package dev.ccbridge.forge;

import dev.ccbridge.core.ModBridge;
import dev.ccbridge.core.Platform;
import dev.ccbridge.minecraft.MinecraftEvents;
import dev.ccbridge.minecraft.MinecraftGame;
import dev.ccbridge.minecraft.MinecraftThread;
import dev.ccbridge.minecraft.Slf4jLog;
import java.nio.file.Path;
import net.minecraft.server.MinecraftServer;
import net.minecraft.server.level.ServerPlayer;
import net.minecraftforge.eventbus.api.EventPriority;
import net.minecraftforge.eventbus.api.SubscribeEvent;
import net.minecraftforge.fml.ModLoadingContext;
import net.minecraftforge.fml.common.Mod;
import net.minecraftforge.fml.loading.FMLPaths;
import net.minecraftforge.common.MinecraftForge;
import net.minecraftforge.common.util.FakePlayer;
import net.minecraftforge.event.ServerChatEvent;
import net.minecraftforge.event.entity.living.LivingDeathEvent;
import net.minecraftforge.event.entity.player.PlayerEvent;
import net.minecraftforge.event.server.ServerStartedEvent;
import net.minecraftforge.event.server.ServerStoppingEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The mod for NeoForge and Forge 1.20.1, which have the same packages: links the server from its start to its stop. */
@Mod("minecraft_mcp_bridge")
public final class ForgeMod {
    private static final Logger LOG = LoggerFactory.getLogger("ccbridge");

    private final MinecraftEvents events = new MinecraftEvents();
    private final String version;

    public ForgeMod() {
        version = ModLoadingContext.get().getActiveContainer().getModInfo().getVersion().toString();
        MinecraftForge.EVENT_BUS.register(this);
        MinecraftForge.EVENT_BUS.register(new BlockBreaks(events));
    }

    @SubscribeEvent
    public void started(ServerStartedEvent event) {
        MinecraftServer server = event.getServer();
        Path settings = FMLPaths.CONFIGDIR.get().resolve("minecraft-mcp-bridge.toml");
        events.start(ModBridge.start(new Platform(
                settings, "NeoForge", server.getServerVersion(), version, new MinecraftGame(server), new MinecraftThread(server), Slf4jLog.sink(LOG))));
    }

    @SubscribeEvent
    public void stopping(ServerStoppingEvent event) {
        events.stop();
    }

    @SubscribeEvent
    public void joined(PlayerEvent.PlayerLoggedInEvent event) {
        if (isPlayer(event.getEntity())) events.join((ServerPlayer) event.getEntity());
    }

    @SubscribeEvent
    public void left(PlayerEvent.PlayerLoggedOutEvent event) {
        if (isPlayer(event.getEntity())) events.quit((ServerPlayer) event.getEntity());
    }

    /** Last, so that what other mods cancelled is not reported. */
    @SubscribeEvent(priority = EventPriority.LOWEST)
    public void chatted(ServerChatEvent event) {
        if (!event.isCanceled() && isPlayer(event.getPlayer())) events.chat(event.getPlayer(), event.getRawText());
    }

    @SubscribeEvent(priority = EventPriority.LOWEST)
    public void died(LivingDeathEvent event) {
        if (!event.isCanceled() && isPlayer(event.getEntity())) events.death((ServerPlayer) event.getEntity(), event.getSource());
    }

    /** Machines of other mods act as players too. */
    static boolean isPlayer(Object entity) {
        return entity instanceof ServerPlayer && !(entity instanceof FakePlayer);
    }
}
