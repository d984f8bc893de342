package dev.ccbridge.core.tool;

import dev.ccbridge.core.game.EntityFacts;
import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.game.PlayerFacts;
import dev.ccbridge.core.game.World;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The four documented read-only tools. */
final class QueryTools {
    static final int MAX_RADIUS = 16;
    private static final int MAX_ENTITIES = 1_000;

    private QueryTools() {}

    static CompletableFuture<Object> onlinePlayers(Arguments args, ToolContext context) {
        return context.onGame(Game::playerNames);
    }

    static CompletableFuture<Object> playerInfo(Arguments args, ToolContext context) {
        String name = args.player("player");
        return context.onGame(game -> {
            PlayerFacts player = game.player(name);
            if (player == null) throw Answers.notOnline(name);
            return player.toJson();
        });
    }

    static CompletableFuture<Object> serverInfo(Arguments args, ToolContext context) {
        return context.onGame(game -> game.server().toJson());
    }

    static CompletableFuture<Object> worldInfo(Arguments args, ToolContext context) {
        Location centre = new Location(args.worldOrOverworld(), args.x(), args.y(), args.z());
        double radius = args.number("radius", 0, MAX_RADIUS);
        return context.onGame(game -> around(worldOf(game, centre.world()), centre, radius));
    }

    static World worldOf(Game game, String dimension) {
        World world = game.world(dimension);
        if (world == null) throw new RequestException(ErrorCode.INVALID_ARGS, "Unknown dimension '" + dimension + "'.");
        return world;
    }

    private static Map<String, Object> around(World world, Location centre, double radius) {
        List<String> notes = new ArrayList<>();
        List<Object> blocks = new ArrayList<>();
        Location middle = new Location(centre.world(), Math.floor(centre.x()), Math.floor(centre.y()), Math.floor(centre.z()));
        long unloaded = Box.around(centre, (int) radius).read(world, (x, y, z, id) -> {
            Location place = new Location(centre.world(), x, y, z);
            if (!Box.isAir(id) && distance(place, middle) <= radius) blocks.add(Json.object("type", id, "location", place.toJson()));
        });
        if (unloaded > 0) notes.add(unloaded + " blocks are in chunks that are not loaded, and are left out.");
        List<EntityFacts> near = world.entitiesAround(centre.x(), centre.y(), centre.z(), radius).stream()
                .filter(entity -> distance(entity.location(), centre) <= radius)
                .toList();
        if (near.size() > MAX_ENTITIES) notes.add("Only " + MAX_ENTITIES + " of " + near.size() + " entities.");
        List<Object> entities = new ArrayList<>();
        for (EntityFacts entity : near.subList(0, Math.min(near.size(), MAX_ENTITIES))) entities.add(entity.toJson());
        Map<String, Object> result = Json.object("blocks", blocks, "entities", entities);
        if (!notes.isEmpty()) result.put("notes", notes);
        return result;
    }

    private static double distance(Location a, Location b) {
        return Math.sqrt(Math.pow(a.x() - b.x(), 2) + Math.pow(a.y() - b.y(), 2) + Math.pow(a.z() - b.z(), 2));
    }
}
