package dev.ccbridge.core.tool;

import dev.ccbridge.core.command.CommandPatterns;
import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.Said;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.ErrorCode;
import java.util.concurrent.CompletableFuture;

/** The four documented tools that change something. */
final class ActingTools {
    private static final String EVERY_PLAYER = "@a";

    private ActingTools() {}

    static CompletableFuture<Object> executeCommand(Arguments args, ToolContext context) {
        String command = allowed(context.patterns(), args, "command");
        return context.onGame(game -> Answers.anyCommand(game.run(command)));
    }

    /** A missing or overlong command is refused as a command, not as an argument. */
    private static String allowed(CommandPatterns patterns, Arguments args, String name) {
        String text;
        try {
            text = args.text(name, CommandPatterns.MAX_LENGTH);
        } catch (RequestException problem) {
            throw new RequestException(ErrorCode.INVALID_COMMAND, problem.getMessage());
        }
        CommandPatterns.Check check = patterns.check(text);
        if (check.command() == null) throw new RequestException(ErrorCode.INVALID_COMMAND, check.refusal());
        return check.command();
    }

    static CompletableFuture<Object> sendMessage(Arguments args, ToolContext context) {
        String text = Json.write(Json.object("text", args.message()));
        boolean toAll = !args.has("target") || EVERY_PLAYER.equals(args.text("target", 17));
        String target = toAll ? EVERY_PLAYER : args.player("target");
        return context.onGame(game -> {
            Said said = game.run(game.commandPrefix() + "tellraw " + target + " " + text);
            RequestException failure = Boolean.FALSE.equals(said.success()) ? Answers.unexpected(said) : Answers.failureOf(said);
            if (failure == null || Boolean.TRUE.equals(said.success())) return Json.object("success", true);
            if (failure.code() != ErrorCode.PLAYER_NOT_FOUND) throw failure;
            // A message to all players of an empty server counts as delivered.
            if (toAll) return Json.object("success", true);
            throw Answers.notOnline(target);
        });
    }

    static CompletableFuture<Object> teleportPlayer(Arguments args, ToolContext context) {
        String player = args.player("player");
        String place = Answers.decimal(args.x()) + " " + Answers.decimal(args.y()) + " " + Answers.decimal(args.z());
        String world = args.world();
        // Without `at`, the server's tp would move the player to the overworld.
        String where = world == null ? "at " + player : "in " + world;
        return context.onGame(game -> {
            Said said = game.run(game.commandPrefix() + "execute " + where + " run tp " + player + " " + place);
            // The output is empty when no player was there to run it.
            if (!Boolean.TRUE.equals(said.success()) && Answers.plain(said).isEmpty()) throw Answers.notOnline(player);
            return forPlayer(player, said, "Teleported ");
        });
    }

    static CompletableFuture<Object> giveItem(Arguments args, ToolContext context) {
        String player = args.player("player");
        String command = "give " + player + " " + args.item("item") + " " + args.whole("quantity", 1, 6_400);
        return context.onGame(game -> forPlayer(player, game.run(game.commandPrefix() + command), "Gave "));
    }

    private static Object forPlayer(String player, Said said, String successWord) {
        try {
            return Answers.ownCommand(said, successWord);
        } catch (RequestException failure) {
            throw failure.code() == ErrorCode.PLAYER_NOT_FOUND ? Answers.notOnline(player) : failure;
        }
    }
}
