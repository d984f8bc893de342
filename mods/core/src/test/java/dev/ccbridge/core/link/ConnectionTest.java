package dev.ccbridge.core.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.ccbridge.core.fake.FakeSocket;
import dev.ccbridge.core.log.Log;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The heartbeat, driven by the test, which is also the peer. */
@Timeout(180)
class ConnectionTest {
    private static final byte[] NOTHING = {};

    private final LinkThread thread = new LinkThread(new Log((level, line) -> {}));
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private final Connection connection = new Connection(thread, new Connection.Owner() {
        @Override
        public void opened(Connection opened) {
            seen.add("opened");
        }

        @Override
        public void received(Connection from, String text) {
            seen.add(text);
        }

        @Override
        public void drained(Connection from) {}

        @Override
        public void closed(Connection closed, int code, String reason) {
            seen.add("closed: " + reason);
        }
    });
    private ServerSocket server;
    private FakeSocket peer;

    /** Reports each pong after the connection has handled it. */
    private final class Watched implements WebSocket.Listener {
        @Override
        public void onOpen(WebSocket socket) {
            connection.onOpen(socket);
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            return connection.onText(socket, data, last);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            CompletionStage<?> done = connection.onPong(socket, message);
            seen.add("pong");
            return done;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            return connection.onClose(socket, code, reason);
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            connection.onError(socket, error);
        }
    }

    @BeforeEach
    void connect() throws Exception {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(URI.create("ws://127.0.0.1:" + server.getLocalPort()), new Watched());
        Socket accepted = server.accept();
        accepted.setSoTimeout(60_000);
        peer = new FakeSocket(accepted);
        peer.accept();
        assertEquals("opened", seen.take());
    }

    @AfterEach
    void disconnect() throws Exception {
        onThread(() -> connection.end(0, "the test is over"));
        thread.shutdown();
        peer.cut();
        server.close();
    }

    private void onThread(Runnable work) throws Exception {
        CompletableFuture.runAsync(work, thread).get();
    }

    private void heartbeats(int count) throws Exception {
        for (int beat = 0; beat < count; beat++) {
            onThread(connection::checkAlive);
            assertEquals(FakeSocket.PING, peer.readFrame().opcode());
        }
    }

    @Test
    void outlivesPongsThatComeLate() throws Exception {
        for (int stall = 0; stall < 2; stall++) {
            heartbeats(3);
            peer.frame(FakeSocket.PONG, NOTHING);
            assertEquals("pong", seen.take());
        }
    }

    @Test
    void anyMessageShowsThatTheBridgeLives() throws Exception {
        for (int stall = 0; stall < 2; stall++) {
            heartbeats(3);
            peer.send("news");
            assertEquals("news", seen.take());
        }
    }

    @Test
    void endsWhenThreePingsWereNotAnswered() throws Exception {
        heartbeats(3);
        assertNull(seen.poll());
        onThread(connection::checkAlive);
        assertEquals("closed: the bridge did not answer 3 pings", seen.take());
    }

    /** The JDK refuses to send a ping while one waits. */
    @Test
    void outlivesABridgeThatReadsLate() throws Exception {
        String large = "x".repeat(16 * 1_024 * 1_024);
        onThread(() -> connection.send(large));
        for (int beat = 0; beat < 3; beat++) onThread(connection::checkAlive);
        // Runs after everything that is already in the queue.
        onThread(() -> {});
        assertNull(seen.poll());
        FakeSocket.Frame frame = peer.readFrame();
        while (frame.opcode() != FakeSocket.PING) frame = peer.readFrame();
        peer.frame(FakeSocket.PONG, NOTHING);
        assertEquals("pong", seen.take());
        for (int beat = 0; beat < 3; beat++) onThread(connection::checkAlive);
        onThread(() -> {});
        assertNull(seen.poll());
    }
}
