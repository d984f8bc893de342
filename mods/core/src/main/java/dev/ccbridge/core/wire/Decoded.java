package dev.ccbridge.core.wire;

/** A message, or why a text is not one. */
public sealed interface Decoded {
    /** Whether the sender has a version that this one may misread. */
    boolean foreignVersion();

    record Message(Frame frame, boolean foreignVersion) implements Decoded {}

    /** {@code id} is what to answer to, or null. */
    record Refused(String reason, String id, boolean foreignVersion) implements Decoded {}
}
