package dev.ccbridge.core.command;

import dev.ccbridge.core.json.Json;

/** A pattern that cannot be used; the message says why. */
public final class PatternException extends Exception {
    private static final long serialVersionUID = 1L;

    PatternException(String pattern, String reason) {
        super("The pattern " + Json.write(pattern.substring(0, Math.min(100, pattern.length()))) + " cannot be used: " + reason + ".");
    }
}
