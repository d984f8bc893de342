package dev.ccbridge.core.link;

/** Lets the models of other packages drive an outbox as the link does. */
public final class OutboxDriver {
    private OutboxDriver() {}

    /** The number of the next event to send, or -1. */
    public static long send(Outbox outbox) {
        Outbox.Entry entry = outbox.next();
        return entry == null ? -1 : entry.seq();
    }

    public static boolean acknowledge(Outbox outbox, String id) {
        return outbox.acknowledge(id);
    }

    public static void restart(Outbox outbox, long next) {
        outbox.restart(next);
    }
}
