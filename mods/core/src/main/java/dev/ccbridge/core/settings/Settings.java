package dev.ccbridge.core.settings;

import dev.ccbridge.core.command.CommandPatterns;
import dev.ccbridge.core.log.Level;
import java.net.URI;
import java.util.List;
import java.util.Set;

/** The content of minecraft-mcp-bridge.toml. */
public record Settings(
        Bridge bridge,
        Set<String> events,
        boolean customEvents,
        int queueSize,
        Set<String> tools,
        boolean customTools,
        List<String> patterns,
        int maxCommandLength,
        Level level,
        String serverName) {

    /** {@code attempts} 0 means no limit. */
    public record Bridge(URI url, String token, int attempts, int delayMs) {}

    /** How many events are kept for the bridge unless the file says otherwise. */
    public static final int QUEUE_SIZE = 10_000;

    public static final List<String> EVENTS = List.of("player_join", "player_quit", "player_chat", "player_death", "block_break");

    public static final List<String> TOOLS = List.of(
            "execute_command", "send_message", "teleport_player", "give_item",
            "get_online_players", "get_player_info", "get_server_info", "get_world_info",
            "execute_commands", "set_blocks", "fill_blocks", "find_blocks");

    public CommandPatterns commandPatterns() {
        try {
            return new CommandPatterns(patterns, maxCommandLength);
        } catch (dev.ccbridge.core.command.PatternException impossible) {
            throw new IllegalStateException("the reader of the settings compiled them before", impossible);
        }
    }
}
