package dev.ccbridge.core.game;

import java.util.List;

/**
 * What the core needs of a game. Each adapter implements it; every method is called on the thread that
 * {@link ServerThread} stands for. What acts does so by the game's commands: they have stayed the same over the
 * versions in which the Java methods behind them changed again and again.
 */
public interface Game {
    /** Runs a command with the rights of a command block, and captures what it says. */
    Said run(String command);

    /** What precedes the game's commands so that plugins cannot replace them: {@code minecraft:} on Paper. */
    String commandPrefix();

    List<String> playerNames();

    /** A player by name, ignoring case; null when not online. */
    PlayerFacts player(String name);

    ServerFacts server();

    /** A world by its dimension's id; null when there is none. */
    World world(String dimension);
}
