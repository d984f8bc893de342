package dev.ccbridge.core.tool;

import dev.ccbridge.core.command.CommandPatterns;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Several commands in one request, each with its own result. */
final class BatchTool {
    static final int MAX_COMMANDS = 100;

    private BatchTool() {}

    static CompletableFuture<Object> executeCommands(Arguments args, ToolContext context) {
        List<String> commands = commandsOf(args);
        boolean stopOnFailure = args.flag("stopOnFailure", true);
        List<Object> results = new ArrayList<>();
        boolean[] failed = {false};
        return Steps.run(context, () -> {
            Map<String, Object> result = runOne(commands.get(results.size()), context);
            results.add(result);
            failed[0] |= result.get("success").equals(false);
            return results.size() < commands.size() && !(failed[0] && stopOnFailure);
        }).thenApply(nothing -> {
            int ran = results.size();
            String why = failed[0] && stopOnFailure ? "an earlier command failed" : "the time was up";
            while (results.size() < commands.size()) results.add(Json.object("success", false, "error", "Not run: " + why + "."));
            return Json.object("ran", ran, "results", results);
        });
    }

    private static List<String> commandsOf(Arguments args) {
        List<String> commands = new ArrayList<>();
        try {
            for (Object command : args.list("commands", MAX_COMMANDS)) {
                boolean good = command instanceof String text && !text.isEmpty() && text.length() <= CommandPatterns.MAX_LENGTH;
                if (!good) throw args.wrong("commands." + commands.size(), "must be a text of 1 to " + CommandPatterns.MAX_LENGTH + " characters");
                commands.add((String) command);
            }
        } catch (RequestException problem) {
            throw new RequestException(ErrorCode.INVALID_COMMAND, problem.getMessage());
        }
        return commands;
    }

    /** Never throws: a failed command has a result with the reason. */
    private static Map<String, Object> runOne(String command, ToolContext context) {
        CommandPatterns.Check check = context.patterns().check(command);
        if (check.command() == null) return failure(ErrorCode.INVALID_COMMAND, check.refusal());
        try {
            return Answers.anyCommand(context.game().run(check.command()));
        } catch (RequestException failure) {
            return failure(failure.code(), failure.getMessage());
        }
    }

    private static Map<String, Object> failure(ErrorCode code, String reason) {
        return Json.object("success", false, "code", code.name(), "error", reason);
    }
}
