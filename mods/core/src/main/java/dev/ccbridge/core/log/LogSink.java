package dev.ccbridge.core.log;

/** Where the lines go: the log of the game server. */
@FunctionalInterface
public interface LogSink {
    void write(Level level, String line);
}
