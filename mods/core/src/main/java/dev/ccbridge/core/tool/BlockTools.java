package dev.ccbridge.core.tool;

import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.Said;
import dev.ccbridge.core.game.World;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.ErrorCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Sets, fills and finds blocks. A dry run only counts what would change. Both say what was there before, so that it can
 * be put back.
 */
final class BlockTools {
    /** The limit of the game's fill. */
    static final int MAX_CELLS = 32_768;
    private static final int MAX_FOUND = 1_000;
    private static final List<String> MODES = List.of("replace", "keep", "hollow", "outline", "destroy");

    private BlockTools() {}

    private record Cell(int x, int y, int z, String block) {}

    static CompletableFuture<Object> setBlocks(Arguments args, ToolContext context) {
        String dimension = args.worldOrOverworld();
        boolean dryRun = args.flag("dryRun", false);
        List<Cell> cells = new ArrayList<>();
        for (Object entry : args.list("blocks", MAX_CELLS)) {
            Arguments cell = args.object("blocks." + cells.size(), entry);
            cells.add(new Cell(cell.blockX(), cell.blockY(), cell.blockZ(), cell.block("block")));
        }
        Count count = new Count(dryRun, dimension);
        int[] next = {0};
        return Steps.run(context, () -> {
            Cell cell = cells.get(next[0]++);
            World world = QueryTools.worldOf(context.game(), dimension);
            if (dryRun) compare(world, cell, count);
            else setOrFail(context.game(), world, cell, count);
            return next[0] < cells.size();
        }).thenApply(nothing -> {
            for (Cell left : cells.subList(next[0], cells.size())) count.failed("Not set: the time was up.", left.x(), left.y(), left.z());
            return count.toJson();
        });
    }

    private static void compare(World world, Cell cell, Count count) {
        String there = world.stateAt(cell.x(), cell.y(), cell.z());
        if (there == null) count.failed("That position is not loaded", cell.x(), cell.y(), cell.z());
        else if (differs(there, cell.block())) count.changed(cell.x(), cell.y(), cell.z(), there);
        else count.unchanged += 1;
    }

    /** What is changed so far must not be forgotten for one block that makes the game fail. */
    private static void setOrFail(Game game, World world, Cell cell, Count count) {
        String there = world.stateAt(cell.x(), cell.y(), cell.z());
        try {
            set(game, cell, there, count);
        } catch (RuntimeException problem) {
            count.failed("The server failed, perhaps after the change: " + problem, cell.x(), cell.y(), cell.z());
            count.remember(cell.x(), cell.y(), cell.z(), there);
        }
    }

    private static void set(Game game, Cell cell, String there, Count count) {
        String dimension = count.dimension;
        String place = cell.x() + " " + cell.y() + " " + cell.z();
        Said said = game.run(game.commandPrefix() + "execute in " + dimension + " run setblock " + place + " " + cell.block());
        String text = Answers.plain(said);
        boolean good = said.success() == null ? text.startsWith("Changed the block") : said.success();
        if (good) count.changed(cell.x(), cell.y(), cell.z(), there);
        // The game's output for a block that is already there.
        else if (text.startsWith("Could not set the block")) count.unchanged += 1;
        else count.failed(Answers.unexpected(said).getMessage(), cell.x(), cell.y(), cell.z());
    }

    static CompletableFuture<Object> fillBlocks(Arguments args, ToolContext context) {
        String dimension = args.worldOrOverworld();
        Box box = boxOf(args);
        String block = args.block("block");
        String mode = args.oneOf("mode", MODES, "replace");
        String filter = args.has("filter") ? args.block("filter") : null;
        if (filter != null && !mode.equals("replace")) throw args.wrong("filter", "goes with the mode replace only");
        if (args.flag("dryRun", false)) return context.onGame(game -> dryFill(game, dimension, box, block, mode, filter).toJson());
        String corners = box.minX() + " " + box.minY() + " " + box.minZ() + " " + box.maxX() + " " + box.maxY() + " " + box.maxZ();
        String how = filter == null ? mode : "replace " + filter;
        String command = "execute in " + dimension + " run fill " + corners + " " + block + " " + how;
        return context.onGame(game -> {
            Map<String, Object> before = dryFill(game, dimension, box, block, mode, filter).before.toJson();
            Said said = game.run(game.commandPrefix() + command);
            // The game reports a failure when nothing had to be changed.
            if (Answers.plain(said).startsWith("No blocks were filled")) return Json.object("changed", 0);
            Answers.ownCommand(said, "Successfully filled");
            return Json.object("changed", firstNumber(Answers.plain(said)), "before", before);
        });
    }

    private static Count dryFill(Game game, String dimension, Box box, String block, String mode, String filter) {
        Count count = new Count(true, dimension);
        World world = QueryTools.worldOf(game, dimension);
        long unloaded = box.read(world, (x, y, z, id) -> {
            boolean surface = x == box.minX() || x == box.maxX() || y == box.minY() || y == box.maxY() || z == box.minZ() || z == box.maxZ();
            boolean touched = switch (mode) {
                case "keep" -> Box.isAir(id);
                case "outline" -> surface;
                default -> filter == null || id.equals(withNamespace(filter.replaceFirst("\\[.*", "")));
            };
            String becomes = mode.equals("hollow") && !surface ? "minecraft:air" : block;
            String there = world.stateAt(x, y, z);
            if (touched && differs(there, becomes)) count.changed(x, y, z, there);
            else count.unchanged += 1;
        });
        if (unloaded > 0) count.failed(unloaded + " blocks are not loaded", box.minX(), box.minY(), box.minZ());
        return count;
    }

    /** Whether a block changes. A wanted block without a state leaves the state open. */
    private static boolean differs(String there, String wanted) {
        String full = withNamespace(wanted);
        return wanted.contains("[") ? !there.equals(full) : !there.replaceFirst("\\[.*", "").equals(full);
    }

    static CompletableFuture<Object> findBlocks(Arguments args, ToolContext context) {
        String dimension = args.worldOrOverworld();
        Box box = boxOf(args);
        String wanted = withNamespace(args.blockId("block"));
        int limit = args.has("limit") ? args.whole("limit", 1, MAX_FOUND) : 100;
        return context.onGame(game -> {
            List<Object> places = new ArrayList<>();
            long[] found = {0};
            long unloaded = box.read(QueryTools.worldOf(game, dimension), (x, y, z, id) -> {
                if (!id.equals(wanted)) return;
                found[0] += 1;
                if (places.size() < limit) places.add(Json.object("x", x, "y", y, "z", z));
            });
            return Json.object("world", dimension, "found", found[0], "places", places, "unloaded", unloaded);
        });
    }

    private static Box boxOf(Arguments args) {
        Box box = Box.between(args.object("from"), args.object("to"));
        if (box.volume() <= MAX_CELLS) return box;
        throw new RequestException(ErrorCode.INVALID_ARGS, "The box has " + box.volume() + " blocks, where " + MAX_CELLS + " are the limit.");
    }

    private static String withNamespace(String block) {
        return block.contains(":") ? block : "minecraft:" + block;
    }

    private static long firstNumber(String text) {
        String digits = text.replaceFirst("^[^0-9]*([0-9]{1,9}).*$", "$1");
        return digits.matches("[0-9]+") ? Long.parseLong(digits) : 0;
    }

    /** How many blocks changed, and the first few that could not. */
    private static final class Count {
        private static final int MAX_REASONS = 10;
        private final boolean dryRun;
        private final String dimension;
        private final Snapshot before;
        private final Set<String> remembered = new HashSet<>();
        private final List<Object> failures = new ArrayList<>();
        private long changed;
        private long unchanged;
        private long failed;

        Count(boolean dryRun, String dimension) {
            this.dryRun = dryRun;
            this.dimension = dimension;
            this.before = new Snapshot(dimension);
        }

        void changed(int x, int y, int z, String there) {
            changed += 1;
            remember(x, y, z, there);
        }

        /** Only the first time: what a later block of the same call replaces was not there before the call. */
        void remember(int x, int y, int z, String there) {
            if (there != null && remembered.add(x + " " + y + " " + z)) before.add(x, y, z, there);
        }

        void failed(String reason, int x, int y, int z) {
            failed += 1;
            if (failures.size() < MAX_REASONS) failures.add(Json.object("x", x, "y", y, "z", z, "error", reason));
        }

        Map<String, Object> toJson() {
            Map<String, Object> json = Json.object("changed", changed, "unchanged", unchanged, "failed", failed);
            if (dryRun) json.put("dryRun", true);
            json.put("before", before.toJson());
            if (failed > 0) json.put("failures", failures);
            return json;
        }
    }
}
