package dev.ccbridge.core.wire;

/** The names are part of the protocol. */
public enum ErrorCode {
    AUTH_FAILED,
    PERMISSION_DENIED,
    INVALID_COMMAND,
    INVALID_ARGS,
    PLAYER_NOT_FOUND,
    CONNECTION_ERROR,
    SCHEMA_ERROR,
    SERVER_ERROR,
    TIMEOUT
}
