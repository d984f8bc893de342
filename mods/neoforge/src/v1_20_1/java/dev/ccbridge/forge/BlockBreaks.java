package dev.ccbridge.forge;

import dev.ccbridge.minecraft.MinecraftEvents;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.server.level.ServerPlayer;
import net.minecraftforge.eventbus.api.EventPriority;
import net.minecraftforge.eventbus.api.SubscribeEvent;
import net.minecraftforge.event.level.BlockEvent;

/** The one event whose class differs between versions. Public, because the bus calls it from its own package. */
public final class BlockBreaks {
    private final MinecraftEvents events;

    BlockBreaks(MinecraftEvents events) {
        this.events = events;
    }

    /** Comes before the block breaks, and may be cancelled from the start: in adventure mode, for one. */
    @SubscribeEvent(priority = EventPriority.LOWEST)
    public void broken(BlockEvent.BreakEvent event) {
        if (event.isCanceled() || !ForgeMod.isPlayer(event.getPlayer())) return;
        if (event.getLevel() instanceof ServerLevel level) {
            events.blockBreak((ServerPlayer) event.getPlayer(), level, event.getPos(), event.getState());
        }
    }
}
