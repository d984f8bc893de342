package dev.ccbridge.core.wire;

import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.json.JsonException;
import dev.ccbridge.core.json.JsonReader;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Parses messages. Never throws, whatever the text. */
public final class Decoder {
    /** The largest message that a server accepts. */
    public static final int MAX_TO_SERVER = 256 * 1_024;

    private static final Set<String> TYPES = Set.of("event", "command", "query", "response", "error");
    private static final Pattern OWN_VERSION = Pattern.compile("1\\.\\d+\\.\\d+(?:[-+].*)?");
    private static final int MAX_MESSAGE = 4_096;

    private Decoder() {}

    /** Parses a message from {@code mcp} or {@code minecraft}. */
    public static Decoded decode(String text, String from) {
        Map<String, Object> message;
        try {
            message = Json.asObject(JsonReader.read(text, MAX_TO_SERVER));
        } catch (JsonException problem) {
            return new Decoded.Refused("not JSON: " + problem.getMessage(), null, false);
        }
        if (message == null) return new Decoded.Refused("not a JSON object", null, false);
        String id = text(message.get("id"), 128);
        boolean foreign = !(message.get("version") instanceof String version && OWN_VERSION.matcher(version).matches());
        try {
            checkEnvelope(message, id, from);
            Frame frame = frame((String) message.get("type"), id, message.get("payload"));
            return new Decoded.Message(frame, foreign);
        } catch (Invalid problem) {
            return new Decoded.Refused(problem.getMessage(), id, foreign);
        }
    }

    private static void checkEnvelope(Map<String, Object> message, String id, String from) throws Invalid {
        require(text(message.get("version"), 64) != null, "version: must be a text");
        require(message.get("type") instanceof String type && TYPES.contains(type), "type: unknown");
        require(id != null, "id: must be a text of 1 to 128 characters");
        require(message.get("timestamp") instanceof Double time && Double.isFinite(time), "timestamp: must be a number");
        require(from.equals(message.get("source")), "source: expected \"" + from + "\"");
    }

    private static Frame frame(String type, String id, Object payload) throws Invalid {
        Map<String, Object> fields = payload == null ? Map.of() : Json.asObject(payload);
        require(fields != null, "payload: must be an object");
        switch (type) {
            case "command":
                return new Frame.Request(id, false, name(fields.get("command"), "command"), arguments(fields));
            case "query":
                // The documents leave a query's payload open; both names are in use.
                Object named = fields.get("query") instanceof String ? fields.get("query") : fields.get("command");
                return new Frame.Request(id, true, name(named, "query"), arguments(fields));
            case "response":
                return new Frame.Answer(id, response(fields));
            case "error":
                return new Frame.Answer(id, failure(fields.containsKey("message") ? fields : fields.get("error")));
            default:
                return new Frame.Event(id);
        }
    }

    private static String name(Object value, String field) throws Invalid {
        String name = text(value, 64);
        require(name != null, "payload." + field + ": must be a text of 1 to 64 characters");
        return name;
    }

    private static Map<String, Object> arguments(Map<String, Object> payload) throws Invalid {
        Object args = payload.get("args");
        Map<String, Object> object = args == null ? Map.of() : Json.asObject(args);
        require(object != null, "payload.args: must be an object");
        return object;
    }

    private static Outcome response(Map<String, Object> payload) throws Invalid {
        require(payload.get("success") instanceof Boolean, "payload.success: must be true or false");
        if (payload.get("success").equals(false)) return failure(reason(payload));
        Map<String, Object> inner = Json.asObject(payload.get("data"));
        // A command's result may report a failure inside a successful response.
        if (inner != null && Boolean.FALSE.equals(inner.get("success"))) return failure(reason(inner));
        return Outcome.good(payload.get("data"));
    }

    private static Object reason(Map<String, Object> payload) {
        return payload.get("error") == null ? payload.get("message") : payload.get("error");
    }

    /** A text, or {@code {code, message, details?}}. */
    private static Outcome failure(Object reason) {
        String serverError = ErrorCode.SERVER_ERROR.name();
        if (reason instanceof String words) return Outcome.failed(serverError, cut(words), null);
        Map<String, Object> fields = Json.asObject(reason);
        if (fields == null || !(fields.get("message") instanceof String message)) {
            return Outcome.failed(serverError, "The server gave no reason.", null);
        }
        String code = text(fields.get("code"), 64);
        return Outcome.failed(code == null ? serverError : code, cut(message), Json.asObject(fields.get("details")));
    }

    private static String cut(String text) {
        return text.length() > MAX_MESSAGE ? text.substring(0, MAX_MESSAGE) : text;
    }

    /** A text of 1 to {@code max} characters, or null. */
    private static String text(Object value, int max) {
        return value instanceof String text && !text.isEmpty() && text.length() <= max ? text : null;
    }

    private static void require(boolean holds, String problem) throws Invalid {
        if (!holds) throw new Invalid(problem);
    }

    private static final class Invalid extends Exception {
        private static final long serialVersionUID = 1L;

        Invalid(String message) {
            super(message, null, false, false);
        }
    }
}
