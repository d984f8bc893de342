package dev.ccbridge.core.game;

import java.util.Map;

/** Common names of the three dimensions of the game. */
public final class Dimensions {
    public static final String OVERWORLD = "minecraft:overworld";

    private static final Map<String, String> NAMES = Map.of(
            "overworld", OVERWORLD,
            "world", OVERWORLD,
            "nether", "minecraft:the_nether",
            "the_nether", "minecraft:the_nether",
            "world_nether", "minecraft:the_nether",
            "end", "minecraft:the_end",
            "the_end", "minecraft:the_end",
            "world_the_end", "minecraft:the_end");

    private Dimensions() {}

    /** A dimension's id, from its id or one of its common names. Other text is returned unchanged. */
    public static String id(String name) {
        return NAMES.getOrDefault(name, name);
    }
}
