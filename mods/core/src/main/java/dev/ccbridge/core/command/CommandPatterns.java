package dev.ccbridge.core.command;

import java.util.ArrayList;
import java.util.List;

/**
 * The allow-list of commands. A command runs only if a pattern matches all of it; without patterns nothing runs. The
 * bridge has the same rules, and one table of cases tests both.
 */
public final class CommandPatterns {
    public static final int MAX_LENGTH = 256;
    /** Written to a new file; not active before the owner saves it. */
    public static final List<String> SUGGESTED = List.of(
            "^say [^\\n\\r]+$",
            "^tp \\w{1,16}( -?\\d+(\\.\\d+)?){3}$",
            "^give \\w{1,16} [a-z0-9_.-]+(:[a-z0-9_./-]+)? \\d{1,4}$");

    private final List<CommandPattern> patterns = new ArrayList<>();
    private final int maxLength;

    public CommandPatterns(List<String> sources, int maxLength) throws PatternException {
        for (String source : sources) patterns.add(new CommandPattern(source));
        this.maxLength = Math.min(maxLength, MAX_LENGTH);
    }

    /** The command to run, or why it is refused: exactly one is not null. */
    public record Check(String command, String refusal) {}

    public int size() {
        return patterns.size();
    }

    /** Checks a command as it would be sent; the result has it without its leading slash. */
    public Check check(String text) {
        if (text.length() > maxLength) return new Check(null, "The command is longer than " + maxLength + " characters.");
        if (hasControlCharacter(text)) return new Check(null, "The command contains a control character.");
        String command = text.startsWith("/") ? text.substring(1) : text;
        if (command.isEmpty()) return new Check(null, "The command is empty.");
        if (patterns.isEmpty()) return new Check(null, "No commands are allowed here.");
        boolean allowed = patterns.stream().anyMatch(pattern -> pattern.fits(command));
        return allowed ? new Check(command, null) : new Check(null, "The command is not allowed: no pattern fits all of it.");
    }

    /** Everything that could end or hide a line, and lone surrogates, which cannot be encoded. */
    public static boolean hasControlCharacter(String text) {
        return text.codePoints().anyMatch(c ->
                c < 0x20 || c >= 0x7f && c <= 0x9f || c == 0x2028 || c == 0x2029 || c >= 0xd800 && c <= 0xdfff);
    }
}
