package dev.ccbridge.core.json;

/** A text that is not JSON, or exceeds the limits. */
public final class JsonException extends Exception {
    private static final long serialVersionUID = 1L;

    public JsonException(String message) {
        super(message);
    }
}
