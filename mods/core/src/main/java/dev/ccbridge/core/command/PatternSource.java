package dev.ccbridge.core.command;

final class PatternSource {
    private final String text;
    private int at;

    PatternSource(String text) {
        this.text = text;
    }

    boolean done() {
        return at >= text.length();
    }

    /** NUL at the end. */
    char peek() {
        return done() ? '\0' : text.charAt(at);
    }

    char next() throws PatternException {
        if (done()) throw problem("it ends too early");
        return text.charAt(at++);
    }

    boolean take(char wanted) {
        if (done() || peek() != wanted) return false;
        at += 1;
        return true;
    }

    String rest() {
        return text.substring(at);
    }

    void skip(int count) {
        at += count;
    }

    /** The character with this hexadecimal code, or -1 when digits are missing. */
    int hex(int digits) {
        if (at + digits > text.length()) return -1;
        int code = 0;
        for (int index = at; index < at + digits; index++) {
            char c = text.charAt(index);
            int value = c < 128 ? Character.digit(c, 16) : -1;
            if (value < 0) return -1;
            code = code * 16 + value;
        }
        at += digits;
        return code;
    }

    PatternException problem(String reason) {
        return new PatternException(text, reason);
    }
}
