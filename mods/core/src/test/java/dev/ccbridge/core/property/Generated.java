package dev.ccbridge.core.property;

import dev.ccbridge.core.game.Location;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Values as the game has them. */
final class Generated {
    private Generated() {}

    static Arbitrary<String> playerNames() {
        return Arbitraries.strings().withCharRange('a', 'z').withCharRange('A', 'Z').numeric().withChars('_').ofMinLength(1).ofMaxLength(16);
    }

    /** Any text, including lone surrogates and control characters: players and mods write everything. */
    static Arbitrary<String> texts() {
        return Arbitraries.strings().ofMaxLength(60);
    }

    static Arbitrary<Double> coordinates() {
        return Arbitraries.doubles().between(-30_000_000, 30_000_000).ofScale(3);
    }

    static Arbitrary<Location> locations() {
        Arbitrary<String> worlds = Arbitraries.of("minecraft:overworld", "minecraft:the_nether", "minecraft:the_end");
        Arbitrary<Double> heights = Arbitraries.doubles().between(-64, 320).ofScale(3);
        return Combinators.combine(worlds, coordinates(), heights, coordinates()).as(Location::new);
    }
}
