package dev.ccbridge.core.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.log.Log;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LinkThreadTest {
    private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
    private final LinkThread thread = new LinkThread(new Log((level, line) -> log.add(level + " " + line)));

    @Test
    void logsWhatThrowsAndGoesOn() throws Exception {
        thread.execute(() -> {
            throw new IllegalStateException("broken");
        });
        assertEquals("done", CompletableFuture.supplyAsync(() -> "done", thread).get());
        assertTrue(log.take().startsWith("ERROR a fault in the link reason=\"java.lang.IllegalStateException: broken\""));
        thread.shutdown();
    }

    @Test
    void ignoresWorkThatComesAfterItsEnd() {
        thread.shutdown();
        thread.execute(() -> log.add("ran"));
        for (var planned : List.of(thread.after(1, () -> log.add("ran")), thread.every(1, () -> log.add("ran")))) planned.cancel(false);
        assertEquals(List.of(), List.copyOf(log));
    }
}
