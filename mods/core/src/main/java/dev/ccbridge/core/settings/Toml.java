package dev.ccbridge.core.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses the subset of TOML that minecraft-mcp-bridge.toml uses: tables, and keys with a string in one line, an
 * integer, a boolean, or an array of strings over any number of lines. Anything else is refused with its line.
 */
final class Toml {
    private final String text;
    private final Map<String, Object> values = new LinkedHashMap<>();
    private int at;
    private int line = 1;

    private Toml(String text) {
        this.text = text;
    }

    /** The values by {@code table.key}: String, Long, Boolean, or List of String. */
    static Map<String, Object> read(String text) throws SettingsException {
        Toml toml = new Toml(text.startsWith("\ufeff") ? text.substring(1) : text);
        toml.document();
        return toml.values;
    }

    private void document() throws SettingsException {
        String table = "";
        while (true) {
            blank();
            if (at >= text.length()) return;
            if (take('[')) {
                space();
                table = name() + ".";
                space();
                expect(']', "the name of a table");
            } else {
                String key = table + name();
                space();
                expect('=', "the key " + key);
                space();
                if (values.containsKey(key)) throw problem(key + " is there twice");
                values.put(key, value());
            }
            space();
            comment();
            if (at < text.length() && !newline()) throw problem("something follows where the line should end");
        }
    }

    private String name() throws SettingsException {
        int start = at;
        while (isNamePart(peek())) at += 1;
        if (at == start) throw problem("a key was expected");
        return text.substring(start, at);
    }

    private static boolean isNamePart(char c) {
        return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    private Object value() throws SettingsException {
        char c = peek();
        if (c == '"' || c == '\'') return string();
        if (c == '[') return array();
        int start = at;
        while (isNamePart(peek()) || peek() == '+' || peek() == '.') at += 1;
        String word = text.substring(start, at);
        if (word.equals("true") || word.equals("false")) return word.equals("true");
        if (!word.matches("[+-]?(0|[1-9](_?[0-9])*)")) {
            throw problem("a string, a whole number, true, false or an array of strings was expected");
        }
        try {
            return Long.valueOf(word.replace("_", ""));
        } catch (NumberFormatException tooLong) {
            throw problem("the number is too large");
        }
    }

    private List<String> array() throws SettingsException {
        List<String> items = new ArrayList<>();
        at += 1;
        while (true) {
            blank();
            if (take(']')) return items;
            items.add(string());
            blank();
            if (!take(',') && peek() != ']') throw problem("a comma or ] was expected in the array");
        }
    }

    private String string() throws SettingsException {
        char quote = peek();
        if (quote != '"' && quote != '\'') throw problem("a string was expected");
        if (text.startsWith(String.valueOf(quote).repeat(3), at)) throw problem("strings over several lines are not supported");
        StringBuilder out = new StringBuilder();
        at += 1;
        while (true) {
            char c = next();
            if (c == quote) return out.toString();
            if (c == '\\' && quote == '"') out.append(escaped());
            else if (c < ' ' && c != '\t' || c == 0x7f) throw problem("a control character is in the string");
            else out.append(c);
        }
    }

    private String escaped() throws SettingsException {
        char c = next();
        int index = "btnfr\"\\".indexOf(c);
        if (index >= 0) return String.valueOf("\b\t\n\f\r\"\\".charAt(index));
        int digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
        String hex = text.substring(at, Math.min(text.length(), at + digits));
        if (digits == 0 || !hex.matches("[0-9a-fA-F]{" + digits + "}")) {
            throw problem("\\" + c + " is not an escape; patterns are easier between single quotes");
        }
        at += digits;
        long code = Long.parseLong(hex, 16);
        if (code > 0x10ffff || code >= 0xd800 && code <= 0xdfff) throw problem("\\" + c + hex + " is not a character");
        return Character.toString((int) code);
    }

    private void blank() throws SettingsException {
        do {
            space();
            comment();
        } while (newline());
    }

    private void space() {
        while (peek() == ' ' || peek() == '\t') at += 1;
    }

    private void comment() {
        if (peek() != '#') return;
        while (at < text.length() && peek() != '\n') at += 1;
    }

    private boolean newline() {
        if (text.startsWith("\r\n", at)) at += 1;
        if (!take('\n')) return false;
        line += 1;
        return true;
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private char next() throws SettingsException {
        if (at >= text.length() || peek() == '\n') throw problem("the string does not end");
        return text.charAt(at++);
    }

    private boolean take(char wanted) {
        if (at >= text.length() || peek() != wanted) return false;
        at += 1;
        return true;
    }

    private void expect(char wanted, String after) throws SettingsException {
        if (!take(wanted)) throw problem(wanted + " was expected after " + after);
    }

    private SettingsException problem(String reason) {
        return new SettingsException("line " + line + ": " + reason);
    }
}
