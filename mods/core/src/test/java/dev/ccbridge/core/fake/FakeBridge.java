package dev.ccbridge.core.fake;

import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.json.JsonException;
import dev.ccbridge.core.json.JsonReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A bridge controlled by the test, over real sockets. */
public final class FakeBridge implements AutoCloseable {
    /** A stop takes a second. A stalled machine may take longer, but waiting for a request would take 25. */
    public static final Duration STOP = Duration.ofSeconds(20);
    /** Only a failing test waits this long. */
    private static final int WAIT_S = 60;

    /** What arrived on the current connection. Its response was sent before. */
    public final BlockingQueue<Map<String, Object>> frames = new LinkedBlockingQueue<>();
    public final BlockingQueue<FakeSocket> sockets = new LinkedBlockingQueue<>();
    /** The status that connections are refused with; 0: accepted. */
    public volatile int refuseWith;
    public volatile boolean answersHello = true;
    public volatile boolean acknowledges = true;
    public volatile long nextEvent;
    public volatile List<String> features = List.of();
    /** Not in the answer to the hello when it is null. */
    public volatile Long timeoutMs;
    public volatile FakeSocket socket;
    private final ServerSocket server;
    private int requests;

    public FakeBridge() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (true) {
            try {
                Socket accepted = server.accept();
                daemon(() -> serve(accepted));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket accepted) {
        try {
            FakeSocket opened = new FakeSocket(accepted);
            if (refuseWith != 0) {
                // Counted first: the peer may report the refusal before this thread continues.
                sockets.add(opened);
                opened.refuse(refuseWith);
                return;
            }
            opened.accept();
            begin(opened);
            try {
                for (String text = opened.read(); text != null; text = opened.read()) take(opened, parse(text));
            } finally {
                opened.over.countDown();
            }
        } catch (IOException gone) {
            // The test checks what arrived.
        }
    }

    private synchronized void begin(FakeSocket opened) {
        socket = opened;
        frames.clear();
        sockets.add(opened);
    }

    private synchronized void take(FakeSocket from, Map<String, Object> frame) throws IOException {
        // Read ahead from a closed connection.
        if (from != socket) return;
        if (isHello(frame) && answersHello) answerHello(frame);
        if ("event".equals(frame.get("type")) && acknowledges) from.send(frame("response", frame.get("id"), Json.object("success", true)));
        frames.add(frame);
    }

    public static boolean isHello(Map<String, Object> frame) {
        return "hello".equals(Json.asObject(frame.get("payload")).get("command"));
    }

    public void answerHello(Map<String, Object> hello) throws IOException {
        socket.send(frame("response", hello.get("id"), Json.object("success", true, "data", Json.object(
                "version", "1.0.0", "name", "minecraft", "acknowledge", acknowledges, "nextEvent", nextEvent, "features", features,
                "timeoutMs", timeoutMs))));
    }

    /**
     * Returns when the peer has read everything that was sent to it. Frames that arrived before are dropped. The game's
     * thread is not involved.
     */
    public void settle() throws Exception {
        call("no_such_tool", Map.of());
    }

    /** Sends a request, and returns its id. */
    public String ask(String type, String name, Map<String, Object> args) throws IOException {
        String id = "request-" + ++requests;
        socket.send(frame(type, id, Json.object(type, name, "args", args)));
        return id;
    }

    public Map<String, Object> call(String name, Map<String, Object> args) throws Exception {
        return answerTo(ask(name.startsWith("get_") ? "query" : "command", name, args));
    }

    /** The payload of the response. */
    public Map<String, Object> answerTo(String id) throws Exception {
        return Json.asObject(next(frame -> id.equals(frame.get("id"))).get("payload"));
    }

    /** The next matching frame; others are dropped. */
    public Map<String, Object> next(java.util.function.Predicate<Map<String, Object>> fits) throws Exception {
        while (true) {
            Map<String, Object> frame = frames.poll(WAIT_S, TimeUnit.SECONDS);
            if (frame == null) throw new AssertionError("the frame did not come");
            if (fits.test(frame)) return frame;
        }
    }

    public Map<String, Object> nextEvent() throws Exception {
        return Json.asObject(next(frame -> "event".equals(frame.get("type"))).get("payload"));
    }

    public Map<String, Object> nextCommand(String name) throws Exception {
        return Json.asObject(Json.asObject(next(frame -> name.equals(Json.asObject(frame.get("payload")).get("command"))).get("payload")).get("args"));
    }

    public FakeSocket nextSocket() throws InterruptedException {
        FakeSocket next = sockets.poll(WAIT_S, TimeUnit.SECONDS);
        if (next == null) throw new AssertionError("no connection came");
        return next;
    }

    public static String frame(String type, Object id, Map<String, Object> payload) {
        return Json.write(Json.object("version", "1.0.0", "type", type, "id", id, "timestamp", 1, "source", "mcp", "payload", payload));
    }

    private static Map<String, Object> parse(String text) {
        try {
            return Json.asObject(JsonReader.read(text, 100_000_000));
        } catch (JsonException problem) {
            throw new AssertionError("not JSON: " + problem.getMessage(), problem);
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "fake-bridge");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (socket != null) socket.cut();
    }
}
