package dev.ccbridge.core.api;

import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.json.JsonReader;
import java.util.Map;

/**
 * A tool of another mod or plugin.
 *
 * @param name 1 to 48 letters, digits, _ and -
 * @param description what it does, for the model; at most 600 characters are shown
 * @param inputSchema JSON Schema of its arguments, of type {@code object}
 * @param readOnly whether it changes nothing; clients may be limited to such tools
 */
public record CustomTool(String name, String description, Map<String, Object> inputSchema, boolean readOnly) {
    private static final int MAX_DESCRIPTION = 600;
    private static final int MAX_SCHEMA = 16_384;

    public CustomTool {
        if (!name.matches("[A-Za-z0-9_-]{1,48}")) throw new IllegalArgumentException("not a tool's name: " + name);
        if (description.length() > MAX_DESCRIPTION) description = description.substring(0, MAX_DESCRIPTION);
        String schema = Json.write(inputSchema);
        if (schema.length() > MAX_SCHEMA) throw new IllegalArgumentException("the schema of " + name + " is longer than " + MAX_SCHEMA);
        if (!"object".equals(inputSchema.get("type"))) throw new IllegalArgumentException("the schema of " + name + " is not of type object");
        inputSchema = copy(schema);
    }

    public Map<String, Object> toJson() {
        return Json.object("name", name, "description", description, "inputSchema", inputSchema, "readOnly", readOnly);
    }

    /** A copy, so that later changes by the caller have no effect. */
    private static Map<String, Object> copy(String schema) {
        try {
            return Json.asObject(JsonReader.read(schema, MAX_SCHEMA));
        } catch (dev.ccbridge.core.json.JsonException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
