package dev.ccbridge.core.wire;

import java.util.Map;

/** A message that was read. */
public sealed interface Frame {
    String id();

    /** A command, which changes something, or a query, which does not. */
    record Request(String id, boolean isQuery, String name, Map<String, Object> args) implements Frame {}

    record Answer(String id, Outcome outcome) implements Frame {}

    /** An event. A bridge sends none, so its content is not looked at. */
    record Event(String id) implements Frame {}
}
