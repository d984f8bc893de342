package dev.ccbridge.core.link;

import dev.ccbridge.core.wire.Encoder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/**
 * The queue of events for the bridge, with gapless sequence numbers. An event is kept until the bridge has acknowledged
 * it, over any number of links. When the queue is full the oldest are dropped, and the gap in the sequence shows how
 * many. The game's threads append, the link's thread removes.
 */
public final class Outbox {
    private final String instance;
    private int maxEvents;
    private final int maxChars;
    private final Deque<Entry> sent = new ArrayDeque<>();
    private final Deque<Entry> waiting = new ArrayDeque<>();
    private int chars;
    private long nextSeq;
    private long firstUnsettled;
    private long sentUpTo = -1;
    private long lost;

    /** @param instance an id of this run of the server, whose sequence begins at 0 */
    public Outbox(String instance, int maxEvents, int maxChars) {
        this.instance = instance;
        this.maxEvents = maxEvents;
        this.maxChars = maxChars;
    }

    /** {@code custom}: an event of another mod, which not every bridge accepts. */
    record Entry(long seq, String text, boolean custom) {}

    public synchronized void push(String eventType, long timestamp, Map<String, Object> data, boolean custom) {
        long seq = nextSeq;
        nextSeq += 1;
        String text = Encoder.event(idOf(seq), eventType, timestamp, data, seq);
        waiting.add(new Entry(seq, text, custom));
        chars += text.length();
        while (size() > maxEvents || chars > maxChars && size() > 1) dropFirst();
    }

    /** How many events are kept. What is too many already goes with the next event. */
    public synchronized void keep(int events) {
        maxEvents = events;
    }

    public synchronized int size() {
        return sent.size() + waiting.size();
    }

    /** Events that were dropped before they were sent. */
    public synchronized long lost() {
        return lost;
    }

    /** How many events this run has numbered. */
    public synchronized long count() {
        return nextSeq;
    }

    /** The sequence number of the first event that the bridge may not have. */
    public synchronized long firstUnsettled() {
        return firstUnsettled;
    }

    /** The next event to send on the current link; null when there is none. */
    synchronized Entry next() {
        Entry entry = waiting.poll();
        if (entry == null) return null;
        sent.add(entry);
        sentUpTo = Math.max(sentUpTo, entry.seq());
        return entry;
    }

    /** Acknowledges an event and all before it: a link keeps the order. */
    synchronized boolean acknowledge(String id) {
        // The number is in the id, so that a bridge cannot force a search for unknown ids.
        if (!id.startsWith(instance + ".") || sent.isEmpty()) return false;
        long seq;
        try {
            seq = Long.parseLong(id.substring(instance.length() + 1));
        } catch (NumberFormatException notOurs) {
            return false;
        }
        if (seq < sent.getFirst().seq() || seq > sent.getLast().seq()) return false;
        while (!sent.isEmpty() && sent.getFirst().seq() <= seq) settleFirst();
        return true;
    }

    /** For bridges that do not acknowledge. */
    synchronized void forgetSent() {
        while (!sent.isEmpty()) settleFirst();
    }

    /** On a new link everything is sent again, except for what the bridge already has. */
    synchronized void restart(long nextWanted) {
        while (!sent.isEmpty()) waiting.addFirst(sent.removeLast());
        while (!waiting.isEmpty() && waiting.getFirst().seq() < nextWanted) {
            sent.add(waiting.poll());
            settleFirst();
        }
    }

    private String idOf(long seq) {
        return instance + "." + seq;
    }

    private void settleFirst() {
        Entry entry = sent.poll();
        firstUnsettled = entry.seq() + 1;
        chars -= entry.text().length();
    }

    private void dropFirst() {
        Entry entry = sent.isEmpty() ? waiting.poll() : sent.poll();
        chars -= entry.text().length();
        // Events that were sent once may have arrived.
        if (entry.seq() > sentUpTo) lost += 1;
    }
}
