package dev.ccbridge.core.link;

import dev.ccbridge.core.log.Log;
import dev.ccbridge.core.tool.RequestException;
import dev.ccbridge.core.wire.Encoder;
import dev.ccbridge.core.wire.ErrorCode;
import dev.ccbridge.core.wire.Frame;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The requests of one connection. Each is answered, none is served twice. */
final class Requests {
    private static final int MAX_RUNNING = 32;
    private static final int MAX_REMEMBERED = 256;

    /** {@code stopped} turns true when the response is due or no longer needed. */
    interface Serve {
        CompletableFuture<Object> call(String name, Map<String, Object> args, BooleanSupplier stopped);
    }

    private final Serve serve;
    private final LinkThread thread;
    private final Log log;
    private final Consumer<String> send;
    private final Set<String> seen = new LinkedHashSet<>();
    private final Set<Running> running = new HashSet<>();
    private long timeoutMs = HelloResult.TIMEOUT_MS;

    Requests(Serve serve, LinkThread thread, Log log, Consumer<String> send) {
        this.serve = serve;
        this.thread = thread;
        this.log = log;
        this.send = send;
    }

    /** How long the bridge waits for each answer. */
    void answerWithin(long newTimeoutMs) {
        timeoutMs = newTimeoutMs;
    }

    /** Shorter than the bridge waits, so that its caller gets the reason. */
    static long deadlineOf(long timeoutMs) {
        return timeoutMs - Math.min(5_000, timeoutMs / 6);
    }

    /** Shorter still, for work in several steps to report how far it came. */
    static long stepsOf(long timeoutMs) {
        long deadlineMs = deadlineOf(timeoutMs);
        return deadlineMs - Math.min(1_000, deadlineMs / 10);
    }

    /** A running request. It counts until the game is done with it, even after its deadline. */
    private static final class Running {
        private final Frame.Request request;
        private volatile boolean over;
        private volatile boolean due;
        private Future<?> deadline;
        private Future<?> report;

        Running(Frame.Request request) {
            this.request = request;
        }
    }

    void take(Frame.Request request) {
        if (!seen.add(request.id())) return;
        if (seen.size() > MAX_REMEMBERED) {
            Iterator<String> oldest = seen.iterator();
            oldest.next();
            oldest.remove();
        }
        if (running.size() >= MAX_RUNNING) {
            // Not logged as a failure: nothing ran, and a flood of requests must not flood the log.
            send.accept(Encoder.failure(request.id(), ErrorCode.SERVER_ERROR, "The server is busy with other requests.", null));
            return;
        }
        Running work = new Running(request);
        running.add(work);
        work.report = thread.after(stepsOf(timeoutMs), () -> work.due = true);
        work.deadline = thread.after(deadlineOf(timeoutMs), () ->
                fail(work, new RequestException(ErrorCode.TIMEOUT, "The server did not answer in time.")));
        serve.call(request.name(), request.args(), () -> work.over || work.due).whenComplete((data, problem) -> thread.execute(() -> {
            running.remove(work);
            if (problem == null) succeed(work, data);
            else fail(work, problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem);
        }));
    }

    /** The connection is gone: responses are dropped, and work in several steps ends. */
    void stop() {
        for (Running work : running) finish(work);
        running.clear();
    }

    private void succeed(Running work, Object data) {
        String text = Encoder.response(work.request.id(), data);
        // Up to a third of the limit no text can have too many bytes.
        boolean tooLarge = text.length() > Encoder.MAX_FROM_SERVER / 3
                && text.getBytes(StandardCharsets.UTF_8).length > Encoder.MAX_FROM_SERVER;
        if (tooLarge) {
            fail(work, new RequestException(ErrorCode.SERVER_ERROR, "The answer is larger than 8 MiB. Ask for less."));
        } else if (finish(work)) {
            String type = work.request.isQuery() ? "query" : "command";
            log.debug("forwarded", "type", type, "source", "mcp", "to", "minecraft", "name", work.request.name());
            send.accept(text);
        }
    }

    private void fail(Running work, Throwable problem) {
        if (!finish(work)) return;
        Frame.Request request = work.request;
        RequestException failure = problem instanceof RequestException known
                ? known
                : new RequestException(ErrorCode.SERVER_ERROR, "The server failed: " + problem);
        log.warn("failed", "name", request.name(), "args", request.args(), "code", failure.code(), "message", failure.getMessage(), "stack", problem);
        send.accept(Encoder.failure(request.id(), failure.code(), failure.getMessage(), failure.details()));
    }

    /** True the first time. */
    private static boolean finish(Running work) {
        if (work.over) return false;
        work.over = true;
        work.deadline.cancel(false);
        work.report.cancel(false);
        return true;
    }
}
