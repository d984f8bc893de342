package dev.ccbridge.core.log;

/** The log of the game server. */
@FunctionalInterface
public interface LogSink {
    void write(Level level, String line);
}
