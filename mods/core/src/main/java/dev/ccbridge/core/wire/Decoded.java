package dev.ccbridge.core.wire;

/** A message, or why a text is not one. */
public sealed interface Decoded {
    /** Whether the sender's version may be incompatible. */
    boolean foreignVersion();

    record Message(Frame frame, boolean foreignVersion) implements Decoded {}

    /** {@code id} is the message to respond to, or null. */
    record Refused(String reason, String id, boolean foreignVersion) implements Decoded {}
}
