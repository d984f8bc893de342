package dev.ccbridge.core.property;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.link.Outbox;
import dev.ccbridge.core.link.OutboxDriver;
import java.util.Map;
import java.util.TreeSet;

/** What the bridge received from an outbox. */
final class OutboxModel {
    private static final int MAX = 10;
    private final Outbox outbox = new Outbox("run", MAX, 1_000_000);
    private final TreeSet<Long> arrived = new TreeSet<>();
    private long pushed;
    private long lastSent = -1;

    void step(String step) {
        switch (step) {
            case "push" -> {
                outbox.push("player_join", 1, Map.of(), false);
                pushed += 1;
            }
            case "send" -> {
                long seq = OutboxDriver.send(outbox);
                if (seq < 0) return;
                assertTrue(lastSent < 0 || seq > lastSent, "in order on one link");
                lastSent = seq;
                arrived.add(seq);
            }
            case "acknowledge" -> {
                if (lastSent >= 0) OutboxDriver.acknowledge(outbox, "run." + lastSent);
            }
            default -> {
                OutboxDriver.restart(outbox, arrived.isEmpty() ? 0 : arrived.last() + 1);
                lastSent = -1;
            }
        }
        assertTrue(outbox.size() <= MAX);
    }

    /** Everything arrived in the end, except what the outbox counted as lost. */
    void check() {
        step("restart");
        for (int count = 0; count <= MAX; count++) step("send");
        assertEquals(pushed, arrived.size() + outbox.lost());
    }
}
