package dev.ccbridge.core.tool;

import dev.ccbridge.core.extension.Extensions;
import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.ServerThread;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.ErrorCode;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** Serves the tools: checks name, permission and arguments, then uses the game. */
public final class Tools {
    private static final Map<String, Tool> TOOLS = Map.ofEntries(
            Map.entry("execute_command", ActingTools::executeCommand),
            Map.entry("send_message", ActingTools::sendMessage),
            Map.entry("teleport_player", ActingTools::teleportPlayer),
            Map.entry("give_item", ActingTools::giveItem),
            Map.entry("get_online_players", QueryTools::onlinePlayers),
            Map.entry("get_player_info", QueryTools::playerInfo),
            Map.entry("get_server_info", QueryTools::serverInfo),
            Map.entry("get_world_info", QueryTools::worldInfo),
            Map.entry("execute_commands", BatchTool::executeCommands),
            Map.entry("set_blocks", BlockTools::setBlocks),
            Map.entry("fill_blocks", BlockTools::fillBlocks),
            Map.entry("find_blocks", BlockTools::findBlocks));

    private final Game game;
    private final ServerThread thread;
    private final Executor background;
    private final CustomTools custom;
    private volatile Policy policy;

    public Tools(Game game, ServerThread thread, Executor background, Extensions extensions, Policy policy) {
        this.game = game;
        this.thread = thread;
        this.background = background;
        this.custom = new CustomTools(extensions);
        this.policy = policy;
    }

    public void allow(Policy policy) {
        this.policy = policy;
    }

    /**
     * Serves one request. The future fails with a {@link RequestException}, or with what the game threw.
     *
     * @param stopped whether the answer is not wanted any more
     */
    public CompletableFuture<Object> call(String name, Map<String, Object> args, BooleanSupplier stopped) {
        try {
            Policy now = policy;
            Tool tool = find(name, now);
            return tool.call(new Arguments(args), new ToolContext(game, thread, background, now.patterns(), stopped));
        } catch (RuntimeException problem) {
            return CompletableFuture.failedFuture(problem);
        }
    }

    private Tool find(String name, Policy policy) {
        if (name.equals("call_tool")) {
            if (policy.customTools()) return custom::call;
            throw switchedOff("Tools of other mods are", "commands.custom_tools");
        }
        Tool tool = TOOLS.get(name);
        if (tool == null) throw new RequestException(ErrorCode.INVALID_COMMAND, "There is no tool " + Json.write(name) + ".");
        if (!policy.tools().contains(name)) throw switchedOff(name + " is", "commands.tools");
        return tool;
    }

    private static RequestException switchedOff(String what, String key) {
        return new RequestException(
                ErrorCode.PERMISSION_DENIED, what + " switched off on this server (" + key + " in minecraft-mcp-bridge.toml).");
    }
}
