package dev.ccbridge.minecraft;

import net.minecraft.commands.CommandSourceStack;
import net.minecraft.core.registries.Registries;
import net.minecraft.resources.ResourceKey;
import net.minecraft.resources.ResourceLocation;
import net.minecraft.server.MinecraftServer;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.server.level.ServerPlayer;
import net.minecraft.world.item.ItemStack;
import net.minecraft.world.level.Level;

/** What is special about Minecraft 1.20.1. */
final class Version {
    private Version() {}

    static String nameOf(ServerPlayer player) {
        return player.getGameProfile().getName();
    }

    static ServerLevel levelOf(ServerPlayer player) {
        return player.serverLevel();
    }

    static String idOf(ServerLevel level) {
        return level.dimension().location().toString();
    }

    /** Null when the text is not an id. */
    static ResourceKey<Level> dimension(String id) {
        ResourceLocation name = ResourceLocation.tryParse(id);
        return name == null ? null : ResourceKey.create(Registries.DIMENSION, name);
    }

    /** The rights of a command block, as a command computer has them: no op, ban or stop. */
    static CommandSourceStack sourceStack(MinecraftServer server, CapturedSource source) {
        return server.createCommandSourceStack()
                .withSource(source)
                .withPermission(2)
                .withCallback((context, success, result) -> source.result(success));
    }

    static long dayTime(ServerLevel level) {
        return level.getDayTime();
    }

    static double tickMillis(MinecraftServer server) {
        return server.getAverageTickTime();
    }

    static boolean hasCustomName(ItemStack stack) {
        return stack.hasCustomHoverName();
    }
}
