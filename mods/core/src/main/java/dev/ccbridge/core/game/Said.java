package dev.ccbridge.core.game;

import java.util.List;

/** What the game said to a command. {@code success} is null where only the words show it. */
public record Said(List<String> lines, Boolean success) {
    public String text() {
        return String.join("\n", lines);
    }
}
