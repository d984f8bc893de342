package dev.ccbridge.paper;

import dev.ccbridge.core.game.EntityFacts;
import dev.ccbridge.core.game.World;
import java.util.ArrayList;
import java.util.List;
import net.kyori.adventure.text.Component;
import org.bukkit.Location;
import org.bukkit.entity.Entity;
import org.bukkit.entity.Player;

/** One dimension, through Paper's API. */
final class PaperWorld implements World {
    private final org.bukkit.World world;

    PaperWorld(org.bukkit.World world) {
        this.world = world;
    }

    @Override
    public String blockAt(int x, int y, int z) {
        if (y < world.getMinHeight() || y >= world.getMaxHeight()) return "minecraft:void_air";
        if (!world.isChunkLoaded(x >> 4, z >> 4)) return null;
        return world.getBlockAt(x, y, z).getType().getKey().toString();
    }

    @Override
    public String stateAt(int x, int y, int z) {
        String id = blockAt(x, y, z);
        boolean inside = id != null && y >= world.getMinHeight() && y < world.getMaxHeight();
        return inside ? world.getBlockAt(x, y, z).getBlockData().getAsString() : id;
    }

    @Override
    public List<EntityFacts> entitiesAround(double x, double y, double z, double radius) {
        List<EntityFacts> found = new ArrayList<>();
        for (Entity entity : world.getNearbyEntities(new Location(world, x, y, z), radius, radius, radius)) {
            Component custom = entity.customName();
            String name = entity instanceof Player ? entity.getName() : custom == null ? null : PaperGame.plain(custom);
            found.add(new EntityFacts(typeOf(entity), PaperGame.locationOf(entity.getLocation()), name));
        }
        return found;
    }

    private static String typeOf(Entity entity) {
        try {
            return entity.getType().getKey().toString();
        } catch (IllegalArgumentException withoutKey) {
            // Entities of mods on hybrid servers.
            return "unknown";
        }
    }
}
