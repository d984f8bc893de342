package dev.ccbridge.core.link;

import dev.ccbridge.core.wire.CloseCode;
import dev.ccbridge.core.wire.Decoder;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * One WebSocket. The JDK calls the listener on its own threads and allows one message at a time to be sent; here
 * everything is handed to the link's thread, and messages are queued. A peer that sends faster than that thread works
 * gets backpressure: the JDK's thread waits. The next message is requested before that, because the JDK misses the end
 * of a connection while none is requested. It still misses one that arrives while the listener handles a message; then
 * only the pings reveal it.
 */
final class Connection implements WebSocket.Listener {
    /** Limit of the queue for a bridge that does not read. */
    private static final int MAX_QUEUED = 24 * 1_024 * 1_024;
    /** How long the peer has to answer a close frame. */
    private static final long GOODBYE_MS = 900;
    /** Messages that wait for the link's thread. */
    private static final int MAX_UNREAD = 16;
    private static final long UNREAD_MS = 30_000;
    /** More than one, because a pong may be late on a stalled machine. */
    private static final int MAX_UNANSWERED = 3;

    /** Called on the link's thread. */
    interface Owner {
        void opened(Connection connection);

        void received(Connection connection, String text);

        /** Data was sent, so more can be queued. */
        void drained(Connection connection);

        void closed(Connection connection, int code, String reason);
    }

    private final LinkThread thread;
    private final Owner owner;
    private final StringBuilder parts = new StringBuilder();
    private final Semaphore unread = new Semaphore(MAX_UNREAD);
    private final Queue<String> queue = new ArrayDeque<>();
    private volatile WebSocket socket;
    private int queued;
    private boolean sending;
    private boolean over;
    private int unanswered;
    private boolean pinging;

    Connection(LinkThread thread, Owner owner) {
        this.thread = thread;
        this.owner = owner;
    }

    @Override
    public void onOpen(WebSocket webSocket) {
        socket = webSocket;
        thread.execute(() -> {
            // The owner may have stopped meanwhile.
            if (over) webSocket.abort();
            else owner.opened(this);
        });
        webSocket.request(1);
    }

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
        if (parts.length() + data.length() > Decoder.MAX_TO_SERVER) {
            thread.execute(() -> end(CloseCode.TOO_LARGE, "the bridge sent more than " + Decoder.MAX_TO_SERVER + " characters at once"));
            return null;
        }
        parts.append(data);
        webSocket.request(1);
        if (last) {
            handOver(parts.toString());
            parts.setLength(0);
        }
        return null;
    }

    private void handOver(String text) {
        try {
            if (!unread.tryAcquire(UNREAD_MS, TimeUnit.MILLISECONDS)) return;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return;
        }
        thread.execute(() -> {
            unread.release();
            unanswered = 0;
            if (!over) owner.received(this, text);
        });
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
        thread.execute(() -> end(CloseCode.BINARY, "the bridge sent a binary message"));
        return null;
    }

    @Override
    public CompletionStage<?> onPong(WebSocket webSocket, ByteBuffer message) {
        thread.execute(() -> unanswered = 0);
        webSocket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
        thread.execute(() -> end(statusCode, reason.isEmpty() ? "closed with " + statusCode : reason));
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        thread.execute(() -> end(0, String.valueOf(error.getMessage())));
    }

    /** Characters that wait to be sent. */
    int queued() {
        return queued;
    }

    void send(String text) {
        if (over || socket == null) return;
        queue.add(text);
        queued += text.length();
        if (queued > MAX_QUEUED) end(0, "the bridge does not read: " + queued + " characters wait");
        else sendNext();
    }

    /** Ends a connection that did not answer the last pings, and sends the next one. */
    void checkAlive() {
        if (over || socket == null) return;
        if (unanswered == MAX_UNANSWERED) {
            end(0, "the bridge did not answer " + MAX_UNANSWERED + " pings");
            return;
        }
        unanswered += 1;
        // The JDK refuses a ping while another one waits behind a long message.
        if (pinging) return;
        pinging = true;
        socket.sendPing(ByteBuffer.allocate(0)).whenComplete((done, problem) -> thread.execute(() -> {
            pinging = false;
            if (problem != null) end(0, "a ping could not be sent: " + problem.getMessage());
        }));
    }

    /**
     * Sends a close frame; the owner is notified of the end. The connection is aborted if the peer does not close it.
     */
    void close(int code, String reason) {
        if (over) return;
        if (socket == null) {
            end(code, reason);
            return;
        }
        socket.sendClose(code, reason);
        thread.after(GOODBYE_MS, () -> end(code, reason));
    }

    /** Ends at once, without a close frame. */
    void end(int code, String reason) {
        if (over) return;
        over = true;
        queue.clear();
        if (socket != null) socket.abort();
        owner.closed(this, code, reason);
    }

    private void sendNext() {
        if (sending || over) return;
        String text = queue.poll();
        if (text == null) return;
        sending = true;
        socket.sendText(text, true).whenComplete((done, problem) -> thread.execute(() -> {
            sending = false;
            queued -= text.length();
            if (problem != null) {
                end(0, "a message could not be sent: " + problem.getMessage());
                return;
            }
            sendNext();
            if (!over) owner.drained(this);
        }));
    }
}
