package dev.ccbridge.core.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** java.util.regex is the oracle for the syntax in which both mean the same. */
class CommandPatternProperties {
    @Property(tries = 1_000)
    void fitsWhatTheOracleMatches(@ForAll("patterns") String source, @ForAll("texts") List<String> texts) throws Exception {
        CommandPattern pattern = new CommandPattern(source);
        Pattern oracle = Pattern.compile(source);
        for (String text : texts) {
            boolean fits = pattern.fits(text);
            try {
                assertEquals(oracle.matcher(new Bounded(text)).matches(), fits, () -> source + " on " + text);
            } catch (TooLong backtracks) {
                // The oracle gave up.
            }
        }
    }

    /** The oracle may need minutes for eight characters. */
    private static final class Bounded implements CharSequence {
        private static final int MAX_READS = 100_000;
        private final String text;
        private int reads;

        Bounded(String text) {
            this.text = text;
        }

        @Override
        public char charAt(int index) {
            reads += 1;
            if (reads > MAX_READS) throw new TooLong();
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }
    }

    private static final class TooLong extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Provide
    Arbitrary<List<String>> texts() {
        return Arbitraries.strings().withChars("abc1 -._").ofMaxLength(8).list().ofMinSize(1).ofMaxSize(8);
    }

    @Provide
    Arbitrary<String> patterns() {
        return pattern(2);
    }

    private static Arbitrary<String> pattern(int depth) {
        Arbitrary<String> atom = Arbitraries.of("a", "b", " ", "\\w", "\\d", "\\s", "\\W", ".", "[a-c]", "[^b]", "\\.", "\\-", "\\x61", "\\u0062");
        Arbitrary<String> item = depth == 0 ? atom : Arbitraries.oneOf(atom, pattern(depth - 1).map(inner -> "(" + inner + ")"));
        Arbitrary<String> repeat = Arbitraries.of("", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?");
        Arbitrary<String> piece = Combinators.combine(item, repeat).as(String::concat);
        Arbitrary<String> sequence = piece.list().ofMaxSize(3).map(pieces -> String.join("", pieces));
        return sequence.list().ofMinSize(1).ofMaxSize(2).map(choices -> String.join("|", choices));
    }
}
