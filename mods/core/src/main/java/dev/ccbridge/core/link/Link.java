package dev.ccbridge.core.link;

import dev.ccbridge.core.log.Log;
import dev.ccbridge.core.settings.Settings;
import dev.ccbridge.core.tool.Tools;
import dev.ccbridge.core.wire.CloseCode;
import dev.ccbridge.core.wire.Decoded;
import dev.ccbridge.core.wire.Decoder;
import dev.ccbridge.core.wire.Encoder;
import dev.ccbridge.core.wire.ErrorCode;
import dev.ccbridge.core.wire.Frame;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The link to the bridge: connects, sends the hello and events, serves requests. Confined to its thread. */
public final class Link implements Connection.Owner {
    private static final long HELLO_TIMEOUT_MS = 10_000;
    /** Short, because the JDK may miss the end of a connection: the pings reveal it within 15 s. */
    private static final long PING_MS = 4_000;
    /** After a link of this duration the backoff is reset. */
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int MAX_BUFFERED = 1_024 * 1_024;
    private static final int MAX_COMPLAINTS = 5;

    public record Parts(
            LinkThread thread, Log log, Outbox outbox, Tools tools, Times times, Supplier<Map<String, Object>> hello, Runnable onReady) {}

    private final Settings.Bridge settings;
    private final String serverName;
    private final Parts parts;
    private final Backoff backoff;
    private final CountDownLatch ended = new CountDownLatch(1);
    private Dialer dialer;
    private Connection connection;
    private Requests requests;
    private Future<?> timer;
    private Future<?> heartbeat;
    private String greeting;
    private long openedAt;
    private int complaints;
    private boolean warnedVersion;
    private boolean stopped;
    private boolean refusedToken;
    private boolean gaveUp;
    private boolean acknowledges;
    private volatile boolean ready;
    private volatile BridgeFeatures features = BridgeFeatures.NONE;

    public Link(Settings.Bridge settings, String serverName, Parts parts) {
        this.settings = settings;
        this.serverName = serverName;
        this.parts = parts;
        this.backoff = new Backoff(settings.delayMs(), parts.times().maxRetryMs(), () -> ThreadLocalRandom.current().nextDouble());
    }

    public boolean ready() {
        return ready;
    }

    /** Whether it used up the attempts that the settings allow. */
    public boolean gaveUp() {
        return gaveUp;
    }

    /** The features of the bridge of the current or last link. */
    public BridgeFeatures features() {
        return features;
    }

    public void start() {
        parts.thread().execute(this::dial);
    }

    public void flush() {
        if (!ready) return;
        while (connection.queued() < MAX_BUFFERED) {
            Outbox.Entry event = parts.outbox().next();
            if (event == null) break;
            // Skipping it leaves a gap in the sequence, which the bridge reports as lost.
            if (!event.custom() || features.customEvents()) {
                connection.send(event.text());
                parts.log().debug("forwarded", "type", "event", "source", "minecraft", "to", "mcp", "seq", event.seq());
            }
            if (!ready) return;
        }
        if (!acknowledges) parts.outbox().forgetSent();
    }

    /** Sends a command to the bridge; only a refusal is logged. */
    public void tell(String command, Map<String, Object> args) {
        if (ready) connection.send(Encoder.command("tell-" + UUID.randomUUID(), command, args, null));
    }

    /** Sends the hello again, after something in it changed. */
    public void introduce() {
        tell("hello", parts.hello().get());
    }

    /** Closes the link. May be called on the game's thread: it waits a second at most, and only for the socket. */
    public void stop() {
        parts.thread().execute(() -> {
            stopped = true;
            if (timer != null) timer.cancel(false);
            if (connection == null) ended.countDown();
            else connection.close(CloseCode.GOING_AWAY, "the server stops");
        });
        try {
            if (!ended.await(1, TimeUnit.SECONDS)) parts.thread().execute(() -> {
                if (connection != null) connection.end(0, "the server stops");
            });
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void dial() {
        if (stopped) return;
        try {
            if (dialer == null) dialer = new Dialer();
        } catch (LinkageError missing) {
            parts.log().error("this Java has no module java.net.http, which the link needs; giving up", "reason", missing.toString());
            return;
        }
        refusedToken = false;
        Connection dialled = new Connection(parts.thread(), this);
        connection = dialled;
        dialer.dial(address(), settings.token(), dialled, failure -> parts.thread().execute(() -> {
            refusedToken = failure.refused();
            dialled.end(0, failure.reason());
        }));
    }

    private URI address() {
        URI url = settings.url();
        String query = url.getRawQuery();
        if (query != null && query.matches("(.*&)?server=.*")) return url;
        String named = "server=" + URLEncoder.encode(serverName, StandardCharsets.UTF_8);
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return URI.create(url.getScheme() + "://" + url.getRawAuthority() + path + "?" + (query == null ? "" : query + "&") + named);
    }

    @Override
    public void opened(Connection opened) {
        openedAt = System.nanoTime();
        warnedVersion = false;
        complaints = 0;
        requests = new Requests(parts.tools()::call, parts.thread(), parts.log(), opened::send);
        greeting = UUID.randomUUID().toString();
        String token = settings.token().isEmpty() ? null : settings.token();
        opened.send(Encoder.command(greeting, "hello", parts.hello().get(), token));
        // A relay that does not know the hello still forwards messages.
        timer = parts.thread().after(HELLO_TIMEOUT_MS, () -> greeted(null));
        heartbeat = parts.thread().every(PING_MS, opened::checkAlive);
    }

    private void greeted(Frame.Answer answer) {
        if (greeting == null) return;
        greeting = null;
        timer.cancel(false);
        if (answer != null && !answer.outcome().ok() && ErrorCode.AUTH_FAILED.name().equals(answer.outcome().code())) {
            refusedToken = true;
            connection.close(CloseCode.UNAUTHORIZED, "the token is not accepted");
            return;
        }
        HelloResult result = HelloResult.of(answer);
        acknowledges = result.acknowledge();
        features = result.features();
        requests.answerWithin(result.timeoutMs());
        parts.outbox().restart(result.nextEvent());
        ready = true;
        parts.log().info("linked to the bridge", "url", settings.url().toString(), "name", result.name(), "version", result.version());
        parts.onReady().run();
        flush();
    }

    @Override
    public void received(Connection from, String text) {
        Decoded decoded = Decoder.decode(text, "mcp");
        if (decoded.foreignVersion() && !warnedVersion) {
            warnedVersion = true;
            parts.log().warn("the bridge speaks another version; trying to understand it anyway");
        }
        if (decoded instanceof Decoded.Refused refused) {
            // A broken or hostile bridge must not fill the log.
            if (complaints++ < MAX_COMPLAINTS) parts.log().warn("a message from the bridge is not valid", "reason", refused.reason());
            if (refused.id() != null) {
                from.send(Encoder.error(refused.id(), ErrorCode.SCHEMA_ERROR, "The message is not valid: " + refused.reason()));
            }
            return;
        }
        Frame frame = ((Decoded.Message) decoded).frame();
        if (frame instanceof Frame.Request request) requests.take(request);
        else if (frame instanceof Frame.Answer answer) answered(answer);
    }

    private void answered(Frame.Answer answer) {
        if (answer.id().equals(greeting)) greeted(answer);
        else if (parts.outbox().acknowledge(answer.id())) flush();
        else if (answer.id().startsWith("tell-") && !answer.outcome().ok()) {
            parts.log().warn("the bridge refused", "reason", answer.outcome().message());
        }
    }

    @Override
    public void drained(Connection from) {
        flush();
    }

    @Override
    public void closed(Connection closed, int code, String reason) {
        if (closed != connection) return;
        connection = null;
        ready = false;
        greeting = null;
        if (timer != null) timer.cancel(false);
        if (heartbeat != null) heartbeat.cancel(false);
        if (requests != null) requests.stop();
        if (stopped) {
            ended.countDown();
            return;
        }
        boolean refused = refusedToken || code == CloseCode.UNAUTHORIZED || code == CloseCode.NAME_TAKEN || code == CloseCode.REPLACED;
        boolean lasted = openedAt != 0 && System.nanoTime() - openedAt > LASTING_NANOS;
        openedAt = 0;
        if (lasted && !refused) backoff.reset();
        retry(code == CloseCode.REPLACED ? "another server linked as " + serverName + "; give each its own server.name" : reason, refused);
    }

    private void retry(String reason, boolean refused) {
        int attempts = settings.attempts();
        if (attempts > 0 && backoff.failures() >= attempts) {
            parts.log().error("the bridge cannot be reached; giving up until the settings are saved again", "reason", reason, "attempts", attempts);
            gaveUp = true;
            return;
        }
        long waitMs = backoff.next();
        long retryMs = refused ? Math.max(waitMs, parts.times().refusedMs()) : waitMs;
        parts.log().warn("not linked to the bridge", "reason", reason, "retryMs", retryMs);
        timer = parts.thread().after(retryMs, this::dial);
    }
}
