package dev.ccbridge.minecraft;

import dev.ccbridge.core.log.LogSink;
import org.slf4j.Logger;

public final class Slf4jLog {
    private Slf4jLog() {}

    public static LogSink sink(Logger log) {
        return (level, line) -> {
            // Not the line itself: the logger would read braces in it as placeholders.
            switch (level) {
                case ERROR -> log.error("{}", line);
                case WARN -> log.warn("{}", line);
                // The owner's setting decides what is written, not the level of the game's console.
                default -> log.info("{}", line);
            }
        };
    }
}
