package dev.ccbridge.core.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses JSON as strictly as JavaScript's JSON.parse. Objects become {@link Map}s, arrays {@link List}s, numbers {@link
 * Double}s. Length and depth are bounded: the text comes from a peer, and recursion uses the stack.
 */
public final class JsonReader {
    public static final int MAX_DEPTH = 64;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    public static Object read(String text, int maxLength) throws JsonException {
        if (text.length() > maxLength) {
            throw new JsonException("a text of " + text.length() + " characters, where " + maxLength + " are the limit");
        }
        JsonReader reader = new JsonReader(text);
        Object value = reader.value(0);
        reader.space();
        if (reader.at < text.length()) throw reader.unexpected();
        return value;
    }

    private Object value(int depth) throws JsonException {
        space();
        switch (peek()) {
            case '{':
                return object(depth + 1);
            case '[':
                return array(depth + 1);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object(int depth) throws JsonException {
        check(depth);
        Map<String, Object> object = new LinkedHashMap<>();
        at += 1;
        space();
        if (take('}')) return object;
        do {
            space();
            if (peek() != '"') throw unexpected();
            String name = string();
            space();
            expect(':');
            object.put(name, value(depth));
            space();
        } while (take(','));
        expect('}');
        return object;
    }

    private List<Object> array(int depth) throws JsonException {
        check(depth);
        List<Object> array = new ArrayList<>();
        at += 1;
        space();
        if (take(']')) return array;
        do {
            array.add(value(depth));
            space();
        } while (take(','));
        expect(']');
        return array;
    }

    private String string() throws JsonException {
        StringBuilder out = new StringBuilder();
        at += 1;
        while (true) {
            char c = next();
            if (c == '"') return out.toString();
            if (c < ' ') throw new JsonException("a control character in a string at " + (at - 1));
            out.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() throws JsonException {
        char c = next();
        switch (c) {
            case '"':
            case '\\':
            case '/':
                return c;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                return unicode();
            default:
                throw new JsonException("an unknown escape at " + (at - 1));
        }
    }

    private char unicode() throws JsonException {
        int code = 0;
        for (int digit = 0; digit < 4; digit++) {
            char c = next();
            // Character.digit also accepts digits of other scripts.
            int value = c < 128 ? Character.digit(c, 16) : -1;
            if (value < 0) throw new JsonException("an escape without its digits at " + (at - 1));
            code = code * 16 + value;
        }
        return (char) code;
    }

    private Double number() throws JsonException {
        int start = at;
        take('-');
        if (!take('0')) digits();
        if (take('.')) digits();
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            digits();
        }
        return Double.valueOf(text.substring(start, at));
    }

    private void digits() throws JsonException {
        int start = at;
        while (peek() >= '0' && peek() <= '9') at += 1;
        if (at == start) throw unexpected();
    }

    private Object word(String word, Object value) throws JsonException {
        if (!text.startsWith(word, at)) throw unexpected();
        at += word.length();
        return value;
    }

    private void check(int depth) throws JsonException {
        if (depth > MAX_DEPTH) throw new JsonException("nested deeper than " + MAX_DEPTH);
    }

    private void space() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at += 1;
    }

    /** NUL at the end, which no part of JSON begins with. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private char next() throws JsonException {
        if (at >= text.length()) throw new JsonException("ends too early");
        return text.charAt(at++);
    }

    private boolean take(char wanted) {
        if (peek() != wanted || at >= text.length()) return false;
        at += 1;
        return true;
    }

    private void expect(char wanted) throws JsonException {
        if (!take(wanted)) throw unexpected();
    }

    private JsonException unexpected() {
        return new JsonException(at >= text.length() ? "ends too early" : "unexpected at " + at);
    }
}
