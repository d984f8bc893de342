package dev.ccbridge.core.fake;

import dev.ccbridge.core.game.EntityFacts;
import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.Item;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.game.PlayerFacts;
import dev.ccbridge.core.game.Said;
import dev.ccbridge.core.game.ServerFacts;
import dev.ccbridge.core.game.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A fake game: a flat world, players, and the few commands that the tools use, with the game's output. */
public final class FakeGame implements Game {
    /** Blocks further out are not loaded. */
    public static final int LOADED = 1_100;

    public static final class Player {
        public final String name;
        public final String uuid;
        public final List<String> messages = new ArrayList<>();
        public final List<Item> items = new ArrayList<>();
        public Location location = new Location("minecraft:overworld", 0.5, 64, 0.5);
        public double health = 20;
        public int foodLevel = 18;
        public String gameMode = "survival";

        Player(String name) {
            this.name = name;
            this.uuid = UUID.nameUUIDFromBytes(name.getBytes()).toString();
        }
    }

    public final Map<String, Player> players = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    public final Map<String, FakeWorld> worlds = new HashMap<>();
    public final List<String> ran = new ArrayList<>();
    public long dayTime = 6_000;
    public boolean raining;
    public boolean thundering;
    public Double tps = 20.0;
    /** Whether the game reports the success of a command, as all but Paper do. */
    public boolean hasVerdict = true;
    public String prefix = "";

    public FakeGame() {
        for (String id : List.of("minecraft:overworld", "minecraft:the_nether", "minecraft:the_end")) worlds.put(id, new FakeWorld(id));
    }

    public Player join(String name) {
        return players.computeIfAbsent(name, Player::new);
    }

    @Override
    public Said run(String command) {
        ran.add(command);
        Said said = new FakeCommands(this).run(command.startsWith("minecraft:") ? command.substring(10) : command);
        return hasVerdict ? said : new Said(said.lines(), null);
    }

    @Override
    public String commandPrefix() {
        return prefix;
    }

    @Override
    public List<String> playerNames() {
        return players.values().stream().map(player -> player.name).toList();
    }

    @Override
    public PlayerFacts player(String name) {
        Player player = players.get(name);
        if (player == null) return null;
        return new PlayerFacts(player.name, player.uuid, player.health, player.foodLevel, player.location, player.gameMode, List.copyOf(player.items));
    }

    @Override
    public ServerFacts server() {
        return new ServerFacts("1.21.1", players.size(), 20, dayTime, raining, thundering, tps);
    }

    @Override
    public World world(String dimension) {
        return worlds.get(dimension);
    }

    /** Grass at y 63, stone below, air above, unless it is empty. */
    public static final class FakeWorld implements World {
        public final Map<String, String> blocks = new HashMap<>();
        public final List<EntityFacts> entities = new ArrayList<>();
        public boolean empty;
        private final String id;

        FakeWorld(String id) {
            this.id = id;
        }

        @Override
        public String blockAt(int x, int y, int z) {
            if (Math.abs(x) > LOADED || Math.abs(z) > LOADED) return null;
            String ground = y == 63 ? "minecraft:grass_block" : "minecraft:stone";
            return blocks.getOrDefault(x + " " + y + " " + z, empty || y > 63 ? "minecraft:air" : ground);
        }

        @Override
        public String stateAt(int x, int y, int z) {
            return blockAt(x, y, z);
        }

        @Override
        public List<EntityFacts> entitiesAround(double x, double y, double z, double radius) {
            return entities.stream()
                    .filter(entity -> entity.location().world().equals(id))
                    .filter(entity -> Math.abs(entity.location().x() - x) <= radius && Math.abs(entity.location().z() - z) <= radius)
                    .toList();
        }
    }
}
