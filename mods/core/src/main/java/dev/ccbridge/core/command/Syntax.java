package dev.ccbridge.core.command;

import java.util.List;
import java.util.function.IntPredicate;

/** The parts of a regular expression. */
sealed interface Syntax {
    int UNBOUNDED = Integer.MAX_VALUE;

    record Char(IntPredicate accepts) implements Syntax {}

    record Start() implements Syntax {}

    record End() implements Syntax {}

    record Word(boolean negated) implements Syntax {}

    record Sequence(List<Syntax> items) implements Syntax {}

    record Choice(List<Syntax> items) implements Syntax {}

    record Repeat(Syntax item, int min, int max) implements Syntax {}

    /** The number of parts with repeats expanded; saturates, since nested repeats multiply. */
    default long size() {
        long size = 1;
        if (this instanceof Sequence sequence) {
            for (Syntax item : sequence.items()) size += item.size();
        } else if (this instanceof Choice choice) {
            for (Syntax item : choice.items()) size += item.size();
        } else if (this instanceof Repeat repeat) {
            long times = repeat.max() == UNBOUNDED ? repeat.min() + 1L : Math.max(repeat.max(), 1);
            size += repeat.item().size() * times;
        }
        return Math.min(size, 1_000_000_000L);
    }
}
