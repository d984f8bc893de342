package dev.ccbridge.core.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * A compiled pattern, run as an NFA: matching takes time linear in the text, whatever the pattern. java.util.regex
 * backtracks, and would need years for some patterns and 256 characters from a client, on the server's thread.
 */
final class CommandPattern {
    private enum Kind { CHAR, SPLIT, START, END, WORD, NOT_WORD, MATCH }

    private record State(Kind kind, IntPredicate accepts, int[] next) {}

    private final List<State> states = new ArrayList<>();
    private final int start;

    CommandPattern(String source) throws PatternException {
        int match = add(Kind.MATCH, null);
        start = build(PatternParser.parse(source), match);
    }

    /** Whether the pattern matches the whole text. */
    boolean fits(String text) {
        BitSet current = new BitSet();
        current.set(start);
        for (int at = 0; ; at++) {
            BitSet reached = follow(current, text, at);
            if (at == text.length()) return reached.stream().anyMatch(index -> states.get(index).kind() == Kind.MATCH);
            char c = text.charAt(at);
            BitSet following = new BitSet();
            for (int index = reached.nextSetBit(0); index >= 0; index = reached.nextSetBit(index + 1)) {
                State state = states.get(index);
                if (state.kind() == Kind.CHAR && state.accepts().test(c)) following.set(state.next()[0]);
            }
            if (following.isEmpty()) return false;
            current = following;
        }
    }

    /** All states that can be reached without reading a character. */
    private BitSet follow(BitSet from, String text, int at) {
        BitSet reached = new BitSet();
        // Each state is opened at most once per predecessor.
        int[] open = from.stream().toArray();
        int count = open.length;
        while (count > 0) {
            int index = open[--count];
            if (reached.get(index)) continue;
            reached.set(index);
            State state = states.get(index);
            if (!passes(state.kind(), text, at)) continue;
            int[] next = state.next();
            if (count + next.length > open.length) open = Arrays.copyOf(open, 2 * (count + next.length));
            for (int following : next) open[count++] = following;
        }
        return reached;
    }

    private static boolean passes(Kind kind, String text, int at) {
        switch (kind) {
            case SPLIT:
                return true;
            case START:
                return at == 0;
            case END:
                return at == text.length();
            case WORD:
                return isBoundary(text, at);
            case NOT_WORD:
                return !isBoundary(text, at);
            default:
                return false;
        }
    }

    private static boolean isBoundary(String text, int at) {
        boolean before = at > 0 && CharClasses.isWord(text.charAt(at - 1));
        boolean after = at < text.length() && CharClasses.isWord(text.charAt(at));
        return before != after;
    }

    private int add(Kind kind, IntPredicate accepts, int... next) {
        states.add(new State(kind, accepts, next));
        return states.size() - 1;
    }

    /** Built from the end to the beginning: each part gets its successor. */
    private int build(Syntax syntax, int next) {
        if (syntax instanceof Syntax.Char character) return add(Kind.CHAR, character.accepts(), next);
        if (syntax instanceof Syntax.Start) return add(Kind.START, null, next);
        if (syntax instanceof Syntax.End) return add(Kind.END, null, next);
        if (syntax instanceof Syntax.Word word) return add(word.negated() ? Kind.NOT_WORD : Kind.WORD, null, next);
        if (syntax instanceof Syntax.Choice choice) {
            return add(Kind.SPLIT, null, choice.items().stream().mapToInt(item -> build(item, next)).toArray());
        }
        if (syntax instanceof Syntax.Sequence sequence) {
            int entry = next;
            for (int index = sequence.items().size() - 1; index >= 0; index--) entry = build(sequence.items().get(index), entry);
            return entry;
        }
        return buildRepeat((Syntax.Repeat) syntax, next);
    }

    private int buildRepeat(Syntax.Repeat repeat, int next) {
        int entry = next;
        if (repeat.max() == Syntax.UNBOUNDED) {
            int[] ways = {next, next};
            entry = add(Kind.SPLIT, null, ways);
            ways[1] = build(repeat.item(), entry);
        } else {
            for (int count = repeat.min(); count < repeat.max(); count++) {
                entry = add(Kind.SPLIT, null, next, build(repeat.item(), entry));
            }
        }
        for (int count = 0; count < repeat.min(); count++) entry = build(repeat.item(), entry);
        return entry;
    }
}
