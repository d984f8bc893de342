package dev.ccbridge.core.wire;

import java.util.Map;

public sealed interface Frame {
    String id();

    /** A command, which changes something, or a query, which does not. */
    record Request(String id, boolean isQuery, String name, Map<String, Object> args) implements Frame {}

    record Answer(String id, Outcome outcome) implements Frame {}

    /** A bridge sends no events, so the content is not parsed. */
    record Event(String id) implements Frame {}
}
