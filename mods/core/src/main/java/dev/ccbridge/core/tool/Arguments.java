package dev.ccbridge.core.tool;

import dev.ccbridge.core.command.CommandPatterns;
import dev.ccbridge.core.game.Dimensions;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.ErrorCode;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The arguments of a request, validated when they are read. Problems are reported with INVALID_ARGS. */
final class Arguments {
    /** The limits of the world, horizontally and vertically. */
    private static final double SIDEWAYS = 30_000_000;
    private static final double UPWARDS = 20_000_000;
    private static final int MAX_MESSAGE = 1_000;
    private static final int MAX_ID = 256;

    /** A leading dot marks players of the Bedrock edition on servers with Floodgate. */
    private static final Pattern PLAYER = Pattern.compile("\\.?[A-Za-z0-9_]{1,16}");
    private static final Pattern ID = Pattern.compile("[a-z0-9_.-]+(:[a-z0-9_./-]+)?");
    private static final Pattern BLOCK = Pattern.compile("[a-z0-9_.-]+(:[a-z0-9_./-]+)?(\\[[a-z0-9_=,]*\\])?");

    private final Map<String, Object> values;
    private final String path;

    Arguments(Map<String, Object> values) {
        this(values, "");
    }

    private Arguments(Map<String, Object> values, String path) {
        this.values = values;
        this.path = path;
    }

    boolean has(String name) {
        return values.get(name) != null;
    }

    String player(String name) {
        return fitting(name, PLAYER, 17, "not a player's name: 1 to 16 letters, digits and _");
    }

    String item(String name) {
        return fitting(name, ID, MAX_ID, "not an item's id, such as minecraft:diamond");
    }

    /** A block's id, with an optional state in brackets. Data in braces is refused. */
    String block(String name) {
        return fitting(name, BLOCK, MAX_ID, "not a block's id, such as minecraft:stone or minecraft:oak_log[axis=x]");
    }

    String blockId(String name) {
        return fitting(name, ID, MAX_ID, "not a block's id, such as minecraft:stone");
    }

    /** A dimension's id; null when none is given. */
    String world() {
        if (!has("world")) return null;
        String id = Dimensions.id(text("world", MAX_ID));
        if (!ID.matcher(id).matches()) throw wrong("world", "not a dimension's id, such as minecraft:overworld");
        return id;
    }

    String worldOrOverworld() {
        String world = world();
        return world == null ? Dimensions.OVERWORLD : world;
    }

    String message() {
        String message = text("message", MAX_MESSAGE);
        if (CommandPatterns.hasControlCharacter(message.replace("\n", ""))) {
            throw wrong("message", "contains a control character; only line breaks are allowed");
        }
        return message;
    }

    double x() {
        return number("x", -SIDEWAYS, SIDEWAYS);
    }

    double y() {
        return number("y", -UPWARDS, UPWARDS);
    }

    double z() {
        return number("z", -SIDEWAYS, SIDEWAYS);
    }

    int blockX() {
        return whole("x", (int) -SIDEWAYS, (int) SIDEWAYS);
    }

    int blockY() {
        return whole("y", (int) -UPWARDS, (int) UPWARDS);
    }

    int blockZ() {
        return whole("z", (int) -SIDEWAYS, (int) SIDEWAYS);
    }

    double number(String name, double min, double max) {
        if (!(values.get(name) instanceof Double value) || !(value >= min && value <= max)) {
            throw wrong(name, "must be a number from " + Json.write(min) + " to " + Json.write(max));
        }
        return value;
    }

    int whole(String name, int min, int max) {
        double value = number(name, min, max);
        if (value != Math.rint(value)) throw wrong(name, "must be a whole number");
        return (int) value;
    }

    boolean flag(String name, boolean otherwise) {
        if (!has(name)) return otherwise;
        if (values.get(name) instanceof Boolean value) return value;
        throw wrong(name, "must be true or false");
    }

    String text(String name, int max) {
        if (values.get(name) instanceof String text && !text.isEmpty() && text.length() <= max) return text;
        throw wrong(name, "must be a text of 1 to " + max + " characters");
    }

    String oneOf(String name, List<String> choices, String otherwise) {
        if (!has(name)) return otherwise;
        if (values.get(name) instanceof String text && choices.contains(text)) return text;
        throw wrong(name, "must be one of " + String.join(", ", choices));
    }

    List<Object> list(String name, int max) {
        if (values.get(name) instanceof List<?> list && !list.isEmpty() && list.size() <= max) return Collections.unmodifiableList(list);
        throw wrong(name, "must be a list of 1 to " + max + " entries");
    }

    Map<String, Object> values(String name) {
        return object(name).values;
    }

    Arguments object(String name) {
        return object(name, values.get(name));
    }

    /** An object inside a list, whose problems are reported with its index. */
    Arguments object(String name, Object value) {
        Map<String, Object> object = Json.asObject(value);
        if (object == null) throw wrong(name, "must be an object");
        return new Arguments(object, path + name + ".");
    }

    private String fitting(String name, Pattern pattern, int max, String problem) {
        if (values.get(name) instanceof String text && text.length() <= max && pattern.matcher(text).matches()) return text;
        throw wrong(name, problem);
    }

    RequestException wrong(String name, String problem) {
        return new RequestException(ErrorCode.INVALID_ARGS, path + name + ": " + problem);
    }
}
