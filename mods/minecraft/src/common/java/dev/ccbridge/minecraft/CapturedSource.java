package dev.ccbridge.minecraft;

import dev.ccbridge.core.game.Said;
import java.util.ArrayList;
import java.util.List;
import net.minecraft.commands.CommandSource;
import net.minecraft.network.chat.Component;

/** Captures the output of a command, instead of the console. */
final class CapturedSource implements CommandSource {
    private static final int MAX_LINES = 1_000;

    private final List<String> lines = new ArrayList<>();
    private boolean succeeded;

    @Override
    public void sendSystemMessage(Component message) {
        if (lines.size() < MAX_LINES) lines.add(message.getString());
    }

    @Override
    public boolean acceptsSuccess() {
        return true;
    }

    @Override
    public boolean acceptsFailure() {
        return true;
    }

    /** Otherwise every call would be shown to operators and written to the log. */
    @Override
    public boolean shouldInformAdmins() {
        return false;
    }

    /** A command may run several times, as with {@code execute as @a}; one success is enough. */
    void result(boolean success) {
        succeeded |= success;
    }

    /** Without any result the command was invalid, or had no target. */
    Said said() {
        return new Said(List.copyOf(lines), succeeded);
    }
}
