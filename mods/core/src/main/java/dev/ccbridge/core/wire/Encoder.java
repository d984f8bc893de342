package dev.ccbridge.core.wire;

import dev.ccbridge.core.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;

public final class Encoder {
    public static final String VERSION = "1.0.0";
    /** The largest message that a bridge accepts. */
    public static final int MAX_FROM_SERVER = 8 * 1_024 * 1_024;

    private Encoder() {}

    /** A command to the bridge, such as {@code hello}. */
    public static String command(String id, String command, Map<String, Object> args, String authToken) {
        Map<String, Object> payload = Json.object("command", command, "args", args);
        if (authToken != null) payload.put("authToken", authToken);
        return write(id, "command", payload);
    }

    public static String response(String id, Object data) {
        return write(id, "response", data == null ? Json.object("success", true) : Json.object("success", true, "data", data));
    }

    public static String failure(String id, ErrorCode code, String message, Map<String, Object> details) {
        return write(id, "response", Json.object("success", false, "error", error(code, message, details)));
    }

    /** The response to an invalid message. */
    public static String error(String id, ErrorCode code, String message) {
        return write(id, "error", error(code, message, null));
    }

    public static String event(String id, String eventType, long timestamp, Map<String, Object> data, long seq) {
        return write(id, "event", Json.object("eventType", eventType, "timestamp", timestamp, "data", data, "seq", seq));
    }

    private static Map<String, Object> error(ErrorCode code, String message, Map<String, Object> details) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", code.name());
        error.put("message", message);
        if (details != null) error.put("details", details);
        return error;
    }

    private static String write(String id, String type, Map<String, Object> payload) {
        return Json.write(Json.object(
                "version", VERSION,
                "type", type,
                "id", id,
                "timestamp", System.currentTimeMillis(),
                "source", "minecraft",
                "payload", payload));
    }
}
