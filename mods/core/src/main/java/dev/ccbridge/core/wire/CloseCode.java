package dev.ccbridge.core.wire;

/** WebSocket close codes of this dialect. */
public final class CloseCode {
    public static final int GOING_AWAY = 1001;
    public static final int BINARY = 1003;
    public static final int TOO_LARGE = 1009;
    public static final int UNAUTHORIZED = 4401;
    /** Another server linked under the same name and token. */
    public static final int REPLACED = 4409;
    public static final int NAME_TAKEN = 4423;

    private CloseCode() {}
}
