package dev.ccbridge.core.command;

import java.util.function.IntPredicate;

/** Parses a character class, such as {@code [a-z\d]}, as JavaScript does. */
final class ClassParser {
    private final PatternSource source;

    ClassParser(PatternSource source) {
        this.source = source;
    }

    /** One part of a class: a single character, or a set such as {@code \w} with {@code code} -1. */
    private record Part(int code, IntPredicate accepts) {}

    /** Continues after the opening bracket. */
    IntPredicate read() throws PatternException {
        boolean negated = source.take('^');
        IntPredicate accepts = c -> false;
        while (!source.take(']')) accepts = accepts.or(range());
        return negated ? accepts.negate() : accepts;
    }

    private IntPredicate range() throws PatternException {
        Part first = part();
        // A hyphen before the bracket is a character.
        if (source.peek() != '-' || source.rest().startsWith("-]")) return first.accepts();
        source.take('-');
        Part last = part();
        if (first.code() < 0 || last.code() < 0) {
            return first.accepts().or(last.accepts()).or(c -> c == '-');
        }
        if (first.code() > last.code()) throw source.problem("a range of characters is out of order");
        return c -> c >= first.code() && c <= last.code();
    }

    private Part part() throws PatternException {
        char c = source.next();
        if (c != '\\') return single(c);
        char letter = source.next();
        IntPredicate named = CharClasses.named(letter);
        return named == null ? single(escaped(letter)) : new Part(-1, named);
    }

    private int escaped(char letter) throws PatternException {
        int control = CharClasses.control(letter);
        if (control >= 0) return control;
        switch (letter) {
            case 'b':
                return '\b';
            case 'x':
            case 'u':
                int code = source.hex(letter == 'x' ? 2 : 4);
                return code < 0 ? letter : code;
            case 'c':
                // Rarely used, and its meaning in JavaScript depends on what follows.
                throw source.problem("\\c is not supported");
            default:
                if (letter == '0' && !Character.isDigit(source.peek())) return '\0';
                if (letter >= '0' && letter <= '7') throw source.problem("octal escapes are not supported");
                return letter;
        }
    }

    private static Part single(int code) {
        return new Part(code, c -> c == code);
    }
}
