package dev.ccbridge.core.game;

import java.util.List;

/** The result of a command. {@code success} is null where only the output shows it. */
public record Said(List<String> lines, Boolean success) {
    public String text() {
        return String.join("\n", lines);
    }
}
