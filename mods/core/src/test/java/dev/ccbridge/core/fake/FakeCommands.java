package dev.ccbridge.core.fake;

import dev.ccbridge.core.game.Item;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.game.Said;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.json.JsonException;
import dev.ccbridge.core.json.JsonReader;
import java.util.List;

/** The commands of the fake game. */
final class FakeCommands {
    private final FakeGame game;
    private String dimension = "minecraft:overworld";

    FakeCommands(FakeGame game) {
        this.game = game;
    }

    Said run(String command) {
        String[] words = command.split(" ");
        switch (words[0]) {
            case "execute":
                return execute(command, words);
            case "tellraw":
                return tellraw(words[1], command.substring(9 + words[1].length()));
            case "tp":
                return teleport(words);
            case "give":
                return give(words);
            case "setblock":
                return setBlock(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]), words[4]);
            case "fill":
                return fill(words);
            case "say":
                return good();
            case "list":
                return good("There are " + game.players.size() + " of a max of 20 players online: " + String.join(", ", game.playerNames()));
            case "throw":
                throw new IllegalStateException("the game threw");
            case "stopped":
                throw new AssertionError("the server is gone");
            default:
                return bad("Unknown or incomplete command, see below for error", command + "<--[HERE]");
        }
    }

    private Said execute(String command, String[] words) {
        if (words[1].equals("at") && !game.players.containsKey(words[2])) return bad("No entity was found");
        dimension = words[1].equals("in") ? words[2] : game.players.get(words[2]).location.world();
        if (!game.worlds.containsKey(dimension)) return bad("Unknown dimension '" + dimension + "'");
        return run(command.substring(command.indexOf(" run ") + 5));
    }

    private Said tellraw(String target, String json) {
        String text;
        try {
            text = (String) Json.asObject(JsonReader.read(json, 10_000)).get("text");
        } catch (JsonException problem) {
            return bad("Invalid chat component: " + problem.getMessage());
        }
        List<FakeGame.Player> to = target.equals("@a")
                ? List.copyOf(game.players.values())
                : game.players.containsKey(target) ? List.of(game.players.get(target)) : List.of();
        if (to.isEmpty()) return bad("No player was found");
        for (FakeGame.Player player : to) player.messages.add(text);
        return good();
    }

    private Said teleport(String[] words) {
        FakeGame.Player player = game.players.get(words[1]);
        if (player == null) return bad("No entity was found");
        player.location = new Location(dimension, Double.parseDouble(words[2]), Double.parseDouble(words[3]), Double.parseDouble(words[4]));
        return good("Teleported " + player.name + " to " + words[2] + ", " + words[3] + ", " + words[4]);
    }

    private Said give(String[] words) {
        FakeGame.Player player = game.players.get(words[1]);
        if (player == null) return bad("No player was found");
        if (words[2].contains("nonsense")) return bad("Unknown item '" + words[2] + "'", "..." + words[2] + "<--[HERE]");
        player.items.add(new Item(words[2].contains(":") ? words[2] : "minecraft:" + words[2], Integer.parseInt(words[3]), null));
        return good("Gave " + words[3] + " [Item] to " + player.name);
    }

    private Said setBlock(int x, int y, int z, String block) {
        FakeGame.FakeWorld world = game.worlds.get(dimension);
        String there = world.blockAt(x, y, z);
        if (there == null) return bad("That position is not loaded");
        String id = (block.contains(":") ? block : "minecraft:" + block).replaceFirst("\\[.*", "");
        if (id.contains("nonsense")) return bad("Unknown block type '" + id + "'");
        if (id.contains("cursed")) throw new IllegalStateException("the game threw");
        if (there.equals(id)) return bad("Could not set the block");
        world.blocks.put(x + " " + y + " " + z, id);
        return good("Changed the block at " + x + ", " + y + ", " + z);
    }

    private Said fill(String[] words) {
        int[] at = new int[6];
        for (int index = 0; index < 6; index++) at[index] = Integer.parseInt(words[index + 1]);
        int changed = 0;
        for (int x = at[0]; x <= at[3]; x++) {
            for (int y = at[1]; y <= at[4]; y++) {
                for (int z = at[2]; z <= at[5]; z++) {
                    boolean air = "minecraft:air".equals(game.worlds.get(dimension).blockAt(x, y, z));
                    if (words[8].equals("keep") && !air) continue;
                    if (setBlock(x, y, z, words[7]).success()) changed += 1;
                }
            }
        }
        return changed == 0 ? bad("No blocks were filled") : good("Successfully filled " + changed + " block(s)");
    }

    private static Said good(String... lines) {
        return new Said(List.of(lines), true);
    }

    private static Said bad(String... lines) {
        return new Said(List.of(lines), false);
    }
}
