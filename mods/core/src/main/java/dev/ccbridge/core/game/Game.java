package dev.ccbridge.core.game;

import java.util.List;

/**
 * What the core needs of a game, implemented by each adapter. Every method is called on the thread of {@link
 * ServerThread}. Actions use the game's commands, which stayed the same over many versions in which the Java methods
 * behind them changed.
 */
public interface Game {
    /** Runs a command with the rights of a command block, and captures its output. */
    Said run(String command);

    /** Prefix that keeps plugins from replacing the game's commands: {@code minecraft:} on Paper. */
    String commandPrefix();

    List<String> playerNames();

    /** A player by name, ignoring case; null when not online. */
    PlayerFacts player(String name);

    ServerFacts server();

    /** A world by its dimension's id; null when there is none. */
    World world(String dimension);
}
