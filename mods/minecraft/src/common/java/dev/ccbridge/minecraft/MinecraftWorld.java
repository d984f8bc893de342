package dev.ccbridge.minecraft;

import dev.ccbridge.core.game.EntityFacts;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.game.World;
import java.util.ArrayList;
import java.util.List;
import net.minecraft.core.BlockPos;
import net.minecraft.core.registries.BuiltInRegistries;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.world.entity.Entity;
import net.minecraft.world.level.block.state.BlockState;
import net.minecraft.world.phys.AABB;

final class MinecraftWorld implements World {
    private final ServerLevel level;
    private final String id;

    MinecraftWorld(ServerLevel level, String id) {
        this.level = level;
        this.id = id;
    }

    @Override
    public String blockAt(int x, int y, int z) {
        BlockPos place = new BlockPos(x, y, z);
        if (!level.isInWorldBounds(place)) return "minecraft:void_air";
        // Reading a block of an unloaded chunk would load it, and make the players wait.
        return level.isLoaded(place) ? blockId(level.getBlockState(place)) : null;
    }

    @Override
    public String stateAt(int x, int y, int z) {
        String id = blockAt(x, y, z);
        BlockPos place = new BlockPos(x, y, z);
        if (id == null || !level.isInWorldBounds(place)) return id;
        // As "Block{minecraft:oak_log}[axis=x]": the brackets are what commands take.
        String shown = level.getBlockState(place).toString();
        int bracket = shown.indexOf('[');
        return bracket < 0 ? id : id + shown.substring(bracket);
    }

    static String blockId(BlockState state) {
        return String.valueOf(BuiltInRegistries.BLOCK.getKey(state.getBlock()));
    }

    @Override
    public List<EntityFacts> entitiesAround(double x, double y, double z, double radius) {
        AABB box = new AABB(x - radius, y - radius, z - radius, x + radius, y + radius, z + radius);
        List<EntityFacts> found = new ArrayList<>();
        for (Entity entity : level.getEntities((Entity) null, box)) {
            String type = String.valueOf(BuiltInRegistries.ENTITY_TYPE.getKey(entity.getType()));
            String name = entity.getCustomName() == null ? null : entity.getCustomName().getString();
            found.add(new EntityFacts(type, new Location(id, entity.getX(), entity.getY(), entity.getZ()), name));
        }
        return found;
    }
}
