package dev.ccbridge.core.wire;

import java.util.Map;

/** {@code data} of a success, or the code and message of a failure. */
public record Outcome(boolean ok, Object data, String code, String message, Map<String, Object> details) {
    static Outcome good(Object data) {
        return new Outcome(true, data, null, null, null);
    }

    static Outcome failed(String code, String message, Map<String, Object> details) {
        return new Outcome(false, null, code, message, details);
    }
}
