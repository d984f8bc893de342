package dev.ccbridge.core.command;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses a regular expression with JavaScript's meaning: characters, classes, groups, alternatives, repeats and
 * anchors. Look-around and back-references are refused, since an NFA cannot follow them.
 */
final class PatternParser {
    private static final int MAX_LENGTH = 1_000;
    private static final int MAX_DEPTH = 50;
    private static final int MAX_SIZE = 5_000;
    private static final Pattern BOUNDS = Pattern.compile("\\{([0-9]+)(,([0-9]*))?\\}");
    private static final Pattern GROUP_NAME = Pattern.compile("<([A-Za-z_$][A-Za-z0-9_$]*)>");

    private final PatternSource source;
    private final Set<String> groupNames = new HashSet<>();

    private PatternParser(PatternSource source) {
        this.source = source;
    }

    static Syntax parse(String text) throws PatternException {
        PatternSource source = new PatternSource(text);
        if (text.length() > MAX_LENGTH) throw source.problem("it is longer than " + MAX_LENGTH + " characters");
        Syntax syntax = new PatternParser(source).choice(0);
        if (!source.done()) throw source.problem("a bracket is not balanced");
        if (syntax.size() > MAX_SIZE) throw source.problem("its repeats make it too large");
        return syntax;
    }

    private Syntax choice(int depth) throws PatternException {
        if (depth > MAX_DEPTH) throw source.problem("its groups are nested too deeply");
        List<Syntax> items = new ArrayList<>();
        do items.add(sequence(depth));
        while (source.take('|'));
        return items.size() == 1 ? items.get(0) : new Syntax.Choice(items);
    }

    private Syntax sequence(int depth) throws PatternException {
        List<Syntax> items = new ArrayList<>();
        while (!source.done() && source.peek() != '|' && source.peek() != ')') {
            if (bounds() != null) throw source.problem("there is nothing to repeat");
            items.add(repeat(atom(depth)));
        }
        return new Syntax.Sequence(items);
    }

    private Syntax repeat(Syntax item) throws PatternException {
        int[] bounds = bounds();
        if (bounds == null) return item;
        boolean repeatable = item instanceof Syntax.Char || item instanceof Syntax.Sequence || item instanceof Syntax.Choice;
        if (!repeatable) throw source.problem("there is nothing to repeat");
        // Lazy or greedy makes no difference to whether a pattern matches.
        source.take('?');
        return new Syntax.Repeat(item, bounds[0], bounds[1]);
    }

    private int[] bounds() throws PatternException {
        if (source.take('*')) return new int[] {0, Syntax.UNBOUNDED};
        if (source.take('+')) return new int[] {1, Syntax.UNBOUNDED};
        if (source.take('?')) return new int[] {0, 1};
        if (source.peek() != '{') return null;
        Matcher braces = BOUNDS.matcher(source.rest());
        // Other braces are characters.
        if (!braces.lookingAt()) return null;
        source.skip(braces.end());
        int min = count(braces.group(1));
        int max = braces.group(2) == null ? min : braces.group(3).isEmpty() ? Syntax.UNBOUNDED : count(braces.group(3));
        if (min > max) throw source.problem("the bounds of a repeat are out of order");
        return new int[] {min, max};
    }

    /** Larger counts are refused for their size anyway. */
    private static int count(String digits) {
        return digits.length() > 6 ? 1_000_000 : Integer.parseInt(digits);
    }

    private Syntax atom(int depth) throws PatternException {
        char c = source.next();
        switch (c) {
            case '^':
                return new Syntax.Start();
            case '$':
                return new Syntax.End();
            case '.':
                return new Syntax.Char(other -> !CharClasses.isLineEnd(other));
            case '(':
                return group(depth);
            case '[':
                return new Syntax.Char(new ClassParser(source).read());
            case '\\':
                return escape();
            default:
                return literal(c);
        }
    }

    private Syntax group(int depth) throws PatternException {
        if (source.take('?') && !source.take(':')) {
            Matcher named = GROUP_NAME.matcher(source.rest());
            if (!named.lookingAt()) throw source.problem("look-around is not supported");
            if (!groupNames.add(named.group(1))) throw source.problem("two groups have the same name");
            source.skip(named.end());
        }
        Syntax inner = choice(depth + 1);
        if (!source.take(')')) throw source.problem("a bracket is not balanced");
        return inner;
    }

    private Syntax escape() throws PatternException {
        char c = source.next();
        if (c == 'b' || c == 'B') return new Syntax.Word(c == 'B');
        if (c >= '1' && c <= '9' || c == 'k') throw source.problem("references to groups are not supported");
        IntPredicate named = CharClasses.named(c);
        return named == null ? literal(escaped(c)) : new Syntax.Char(named);
    }

    private int escaped(char c) throws PatternException {
        int control = CharClasses.control(c);
        if (control >= 0) return control;
        switch (c) {
            case 'x':
            case 'u':
                int code = source.hex(c == 'x' ? 2 : 4);
                if (code < 0) throw source.problem("\\" + c + " without its digits");
                return code;
            default:
                char after = source.peek();
                if (c == '0' && !(after >= '0' && after <= '9')) return '\0';
                if (c < 128 && Character.isLetterOrDigit(c)) throw source.problem("\\" + c + " is not supported");
                return c;
        }
    }

    private static Syntax literal(int wanted) {
        return new Syntax.Char(c -> c == wanted);
    }
}
