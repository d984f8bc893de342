package dev.ccbridge.core.tool;

import dev.ccbridge.core.command.CommandPatterns;
import dev.ccbridge.core.settings.Settings;
import java.util.Set;

/** What the owner of the server allows. */
public record Policy(Set<String> tools, boolean customTools, CommandPatterns patterns) {
    public static Policy of(Settings settings) {
        return new Policy(settings.tools(), settings.customTools(), settings.commandPatterns());
    }
}
