package dev.ccbridge.core.game;

import java.util.List;

public interface World {
    /** The id of a block, such as {@code minecraft:stone}; null where the chunk is not loaded. */
    String blockAt(int x, int y, int z);

    /** The same with the block's state as commands write it, such as {@code minecraft:oak_log[axis=x]}. */
    String stateAt(int x, int y, int z);

    /** The entities inside a cube around a position; some may be outside the sphere with that radius. */
    List<EntityFacts> entitiesAround(double x, double y, double z, double radius);
}
