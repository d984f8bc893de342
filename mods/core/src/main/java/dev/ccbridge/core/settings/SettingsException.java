package dev.ccbridge.core.settings;

/** An invalid settings file; the message says where and why. */
public final class SettingsException extends Exception {
    private static final long serialVersionUID = 1L;

    SettingsException(String message) {
        super(message);
    }
}
