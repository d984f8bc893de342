package dev.ccbridge.core.log;

public enum Level {
    DEBUG,
    INFO,
    WARN,
    ERROR
}
