package dev.ccbridge.core.settings;

import dev.ccbridge.core.command.CommandPatterns;
import java.util.List;
import java.util.stream.Collectors;

/** A new minecraft-mcp-bridge.toml, with every setting and its description. */
public final class SettingsTemplate {
    private SettingsTemplate() {}

    public static String text() {
        return """
                # How this Minecraft server is linked to ccbridge. Changes are taken while the server runs.

                [bridge]
                # Where the bridge listens for Minecraft servers.
                url = "ws://localhost:3001/minecraft"
                # One of the bridge's tokens for servers (MINECRAFT_TOKENS). Nothing is linked without it.
                auth_token = ""
                # Attempts before giving up; 0 means for ever.
                reconnect_attempts = 0
                # The first wait between attempts, in milliseconds. Each next one is longer, up to 30 seconds.
                reconnect_delay = 1000

                [events]
                enabled = %s
                # Events of other mods and plugins.
                custom = true
                # How many are kept while the bridge is away, at most 8 MiB; the oldest are dropped first, and counted.
                queue_size = %d

                [commands]
                # What execute_command and execute_commands may run. A pattern must fit the whole command; an empty list
                # allows nothing. The bridge has its own list: a command must fit both.
                allowed_patterns = %s
                # Tools that this server serves at all.
                tools = %s
                # Tools of other mods and plugins.
                custom_tools = true

                [security]
                require_auth = true
                max_command_length = %d

                [logging]
                # DEBUG, INFO, WARN or ERROR
                level = "INFO"

                [server]
                # What AI clients call this server. Needed when several are linked.
                name = "minecraft"
                """.formatted(
                list(Settings.EVENTS, "\""),
                Settings.QUEUE_SIZE,
                // Patterns are full of backslashes, which TOML does not interpret between single quotes.
                list(CommandPatterns.SUGGESTED, "'"),
                list(Settings.TOOLS, "\""),
                CommandPatterns.MAX_LENGTH);
    }

    private static String list(List<String> items, String quote) {
        return items.stream().map(item -> "  " + quote + item + quote + ",\n").collect(Collectors.joining("", "[\n", "]"));
    }
}
