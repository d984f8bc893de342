package dev.ccbridge.core.link;

import dev.ccbridge.core.wire.Encoder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/**
 * Events on their way to the bridge, each with a number of a count without gaps. An event is kept until the bridge has
 * acknowledged it, over as many links as that takes. When the queue is full the oldest are dropped, and the gap in the
 * count says how many. The game's threads append, the link's thread takes.
 */
public final class Outbox {
    private final String instance;
    private final int maxEvents;
    private final int maxChars;
    private final Deque<Entry> sent = new ArrayDeque<>();
    private final Deque<Entry> waiting = new ArrayDeque<>();
    private int chars;
    private long nextSeq;
    private long firstUnsettled;
    private long sentUpTo = -1;
    private long lost;

    /** @param instance an id of this run of the server, which begins the count at 0 */
    public Outbox(String instance, int maxEvents, int maxChars) {
        this.instance = instance;
        this.maxEvents = maxEvents;
        this.maxChars = maxChars;
    }

    /** {@code custom}: an event of another mod, which not every bridge takes. */
    record Entry(long seq, String text, boolean custom) {}

    public synchronized void push(String eventType, long timestamp, Map<String, Object> data, boolean custom) {
        long seq = nextSeq;
        nextSeq += 1;
        String text = Encoder.event(idOf(seq), eventType, timestamp, data, seq);
        waiting.add(new Entry(seq, text, custom));
        chars += text.length();
        while (size() > maxEvents || chars > maxChars && size() > 1) dropFirst();
    }

    public synchronized int size() {
        return sent.size() + waiting.size();
    }

    /** How many events were dropped before they were sent. */
    public synchronized long lost() {
        return lost;
    }

    /** The number of the first event that the bridge may not have. */
    public synchronized long firstUnsettled() {
        return firstUnsettled;
    }

    /** The next event to send on the present link; null when there is none. */
    synchronized Entry next() {
        Entry entry = waiting.poll();
        if (entry == null) return null;
        sent.add(entry);
        sentUpTo = Math.max(sentUpTo, entry.seq());
        return entry;
    }

    /** The bridge has an event, and so all before it: a link keeps the order. */
    synchronized boolean acknowledge(String id) {
        // The number is in the id, so that a bridge cannot make this search for ids that never were.
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

    /** Forgets what was sent, where no acknowledgement will come. */
    synchronized void forgetSent() {
        while (!sent.isEmpty()) settleFirst();
    }

    /** A new link: everything that is kept is sent again, except for what the bridge says it has. */
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
        // What was sent once may have arrived.
        if (entry.seq() > sentUpTo) lost += 1;
    }
}
