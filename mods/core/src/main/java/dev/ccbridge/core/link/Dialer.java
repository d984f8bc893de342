package dev.ccbridge.core.link;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Opens WebSockets, and explains failures. Shared by all attempts, because each HTTP client has its own threads. */
final class Dialer {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Map<Integer, String> ADVICE = Map.of(
            401, " (the token is not one of its MINECRAFT_TOKENS)",
            403, " (no server may link there: are its MINECRAFT_TOKENS set?)",
            404, " (does the address end with /minecraft?)",
            429, " (too many wrong tokens came from here; wait a minute)");

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .executor(Executors.newCachedThreadPool(work -> {
                Thread thread = new Thread(work, "ccbridge-socket");
                thread.setDaemon(true);
                return thread;
            }))
            .build();

    /** Why a connection did not open; {@code refused} when trying again soon will not help. */
    record Failure(String reason, boolean refused) {}

    void dial(URI url, String token, Connection connection, Consumer<Failure> onFailure) {
        WebSocket.Builder builder = client.newWebSocketBuilder().connectTimeout(TIMEOUT);
        if (!token.isEmpty()) builder.header("Authorization", "Bearer " + token);
        builder.buildAsync(url, connection).whenComplete((socket, problem) -> {
            if (problem != null) onFailure.accept(explain(problem));
        });
    }

    private static Failure explain(Throwable problem) {
        Throwable cause = problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        if (cause instanceof WebSocketHandshakeException handshake && handshake.getResponse() != null) {
            int status = handshake.getResponse().statusCode();
            boolean refused = status == 401 || status == 403 || status == 429;
            return new Failure("the bridge answered " + status + ADVICE.getOrDefault(status, ""), refused);
        }
        if (cause.getCause() instanceof UnresolvedAddressException) return new Failure("the address is not known (is it right?)", false);
        if (cause instanceof ConnectException) return new Failure("the connection was refused (is the bridge running there?)", false);
        return new Failure(cause.getClass().getSimpleName() + ": " + cause.getMessage(), false);
    }
}
