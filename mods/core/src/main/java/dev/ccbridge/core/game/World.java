package dev.ccbridge.core.game;

import java.util.List;

/** One dimension of the game. */
public interface World {
    /** The id of the block there, such as {@code minecraft:stone}; null where the chunk is not loaded. */
    String blockAt(int x, int y, int z);

    /** The entities inside a cube around a place; some may be outside of the sphere with that radius. */
    List<EntityFacts> entitiesAround(double x, double y, double z, double radius);
}
