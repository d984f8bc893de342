package dev.ccbridge.core.wire;

/** Why a request failed; the names are what goes over the wire. */
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
