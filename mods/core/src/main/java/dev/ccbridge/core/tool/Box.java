package dev.ccbridge.core.tool;

import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.game.World;
import java.util.Set;

/** A box of blocks, including its corners. */
record Box(int minX, int minY, int minZ, int maxX, int maxY, int maxZ) {
    private static final Set<String> AIR = Set.of("minecraft:air", "minecraft:cave_air", "minecraft:void_air");

    interface Visitor {
        void block(int x, int y, int z, String id);
    }

    static Box around(Location centre, int radius) {
        int x = (int) Math.floor(centre.x());
        int y = (int) Math.floor(centre.y());
        int z = (int) Math.floor(centre.z());
        return new Box(x - radius, y - radius, z - radius, x + radius, y + radius, z + radius);
    }

    static Box between(Arguments from, Arguments to) {
        int ax = from.blockX(), ay = from.blockY(), az = from.blockZ();
        int bx = to.blockX(), by = to.blockY(), bz = to.blockZ();
        return new Box(
                Math.min(ax, bx), Math.min(ay, by), Math.min(az, bz), Math.max(ax, bx), Math.max(ay, by), Math.max(az, bz));
    }

    static boolean isAir(String id) {
        return AIR.contains(id);
    }

    long volume() {
        return (maxX - minX + 1L) * (maxY - minY + 1L) * (maxZ - minZ + 1L);
    }

    /** Visits each loaded block, y last; returns how many are not loaded. */
    long read(World world, Visitor visitor) {
        long unloaded = 0;
        for (int y = minY; y <= maxY; y++) {
            for (int z = minZ; z <= maxZ; z++) {
                for (int x = minX; x <= maxX; x++) {
                    String id = world.blockAt(x, y, z);
                    if (id == null) unloaded += 1;
                    else visitor.block(x, y, z, id);
                }
            }
        }
        return unloaded;
    }
}
