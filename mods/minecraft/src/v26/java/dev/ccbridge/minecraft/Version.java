package dev.ccbridge.minecraft;

import net.minecraft.commands.CommandSourceStack;
import net.minecraft.core.component.DataComponents;
import net.minecraft.core.registries.Registries;
import net.minecraft.resources.Identifier;
import net.minecraft.resources.ResourceKey;
import net.minecraft.server.MinecraftServer;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.server.level.ServerPlayer;
import net.minecraft.server.permissions.LevelBasedPermissionSet;
import net.minecraft.world.item.ItemStack;
import net.minecraft.world.level.Level;

/** What is special about Minecraft 26.x, whose names are no longer obfuscated. */
final class Version {
    private Version() {}

    static String nameOf(ServerPlayer player) {
        return player.getGameProfile().name();
    }

    static ServerLevel levelOf(ServerPlayer player) {
        return player.level();
    }

    static String idOf(ServerLevel level) {
        return level.dimension().identifier().toString();
    }

    /** Null when the text is not an id. */
    static ResourceKey<Level> dimension(String id) {
        Identifier name = Identifier.tryParse(id);
        return name == null ? null : ResourceKey.create(Registries.DIMENSION, name);
    }

    /** The rights of a command block, as a command computer has them: no op, ban or stop. */
    static CommandSourceStack sourceStack(MinecraftServer server, CapturedSource source) {
        return server.createCommandSourceStack()
                .withSource(source)
                .withPermission(LevelBasedPermissionSet.GAMEMASTER)
                .withCallback((success, result) -> source.result(success));
    }

    static long dayTime(ServerLevel level) {
        return level.getOverworldClockTime();
    }

    static double tickMillis(MinecraftServer server) {
        return server.getAverageTickTimeNanos() / 1e6;
    }

    static boolean hasCustomName(ItemStack stack) {
        return stack.has(DataComponents.CUSTOM_NAME);
    }
}
