package dev.ccbridge.neoforge;

import dev.ccbridge.minecraft.MinecraftEvents;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.server.level.ServerPlayer;
import net.neoforged.bus.api.EventPriority;
import net.neoforged.bus.api.SubscribeEvent;
import net.neoforged.neoforge.event.level.block.BreakBlockEvent;

/** The one event whose class differs between versions. Public, because the bus calls it from its own package. */
public final class BlockBreaks {
    private final MinecraftEvents events;

    BlockBreaks(MinecraftEvents events) {
        this.events = events;
    }

    /** Comes before the block breaks, and may be cancelled from the start: in adventure mode, for one. */
    @SubscribeEvent(priority = EventPriority.LOWEST)
    public void broken(BreakBlockEvent event) {
        if (event.isCanceled() || !NeoForgeMod.isPlayer(event.getPlayer())) return;
        if (event.getLevel() instanceof ServerLevel level) {
            events.blockBreak((ServerPlayer) event.getPlayer(), level, event.getPos(), event.getState());
        }
    }
}
