package dev.ccbridge.core.json;

import java.util.LinkedHashMap;
import java.util.Map;

public final class Json {
    private Json() {}

    /** An object of alternating names and values. A value of null is written as null. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            object.put((String) namesAndValues[index], namesAndValues[index + 1]);
        }
        return object;
    }

    /** The value as an object, or null when it is not one. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> asObject(Object value) {
        // Only JsonReader and our own code create these maps, and their keys are strings.
        return value instanceof Map ? (Map<String, Object>) value : null;
    }

    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out, 0);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out, int depth) {
        if (depth > JsonReader.MAX_DEPTH) throw new IllegalArgumentException("nested deeper than " + JsonReader.MAX_DEPTH);
        if (value == null || value instanceof Boolean) out.append(value);
        else if (value instanceof Number number) out.append(number(number));
        else if (value instanceof Map<?, ?> map) object(map, out, depth);
        else if (value instanceof Iterable<?> items) array(items, out, depth);
        else string(value.toString(), out);
    }

    private static void object(Map<?, ?> map, StringBuilder out, int depth) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            string(String.valueOf(entry.getKey()), out);
            out.append(':');
            write(entry.getValue(), out, depth + 1);
            separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void array(Iterable<?> items, StringBuilder out, int depth) {
        out.append('[');
        String separator = "";
        for (Object item : items) {
            out.append(separator);
            write(item, out, depth + 1);
            separator = ",";
        }
        out.append(']');
    }

    /** JSON has no NaN and no infinities; whole numbers are written without a fraction, as in JavaScript. */
    private static String number(Number number) {
        if (!(number instanceof Double) && !(number instanceof Float)) return number.toString();
        double value = number.doubleValue();
        if (Double.isNaN(value) || Double.isInfinite(value)) return "null";
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? Long.toString((long) value) : number.toString();
    }

    private static void string(String text, StringBuilder out) {
        out.append('"');
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c == '\n') out.append("\\n");
            else if (c < ' ' || c == 0x7f || isHalfPair(text, at)) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        out.append('"');
    }

    /** A lone surrogate cannot be encoded as UTF-8: the socket would refuse the whole message. */
    private static boolean isHalfPair(String text, int at) {
        char c = text.charAt(at);
        if (Character.isHighSurrogate(c)) return at + 1 >= text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
        return Character.isLowSurrogate(c) && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
    }
}
