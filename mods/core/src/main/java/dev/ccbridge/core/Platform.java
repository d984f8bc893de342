package dev.ccbridge.core;

import dev.ccbridge.core.game.Game;
import dev.ccbridge.core.game.ServerThread;
import dev.ccbridge.core.log.LogSink;
import java.nio.file.Path;

/**
 * What an adapter gives the core.
 *
 * @param settings where minecraft-mcp-bridge.toml is, or will be written
 * @param software what runs the game, such as {@code NeoForge}
 * @param gameVersion the version of the game
 * @param modVersion the version of this mod
 */
public record Platform(
        Path settings, String software, String gameVersion, String modVersion, Game game, ServerThread thread, LogSink log) {}
