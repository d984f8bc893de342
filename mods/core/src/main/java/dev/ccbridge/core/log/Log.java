package dev.ccbridge.core.log;

import dev.ccbridge.core.json.Json;
import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Writes one line per event: a message, then {@code name=value} with the value as JSON, so that text of players and
 * peers cannot forge a line. The token never appears. Level and token may change at run time.
 */
public final class Log {
    private static final int MAX_FACT = 2_000;
    /** Shorter ones would match harmless text. */
    private static final int MIN_SECRET = 4;

    private final LogSink sink;
    private volatile Level level = Level.INFO;
    private volatile String secret = "";

    public Log(LogSink sink) {
        this.sink = sink;
    }

    public void configure(Level level, String secret) {
        this.level = level;
        this.secret = secret;
    }

    public void debug(String message, Object... facts) {
        line(Level.DEBUG, message, facts);
    }

    public void info(String message, Object... facts) {
        line(Level.INFO, message, facts);
    }

    public void warn(String message, Object... facts) {
        line(Level.WARN, message, facts);
    }

    public void error(String message, Object... facts) {
        line(Level.ERROR, message, facts);
    }

    private void line(Level at, String message, Object... namesAndValues) {
        if (at.compareTo(level) < 0) return;
        StringBuilder out = new StringBuilder(message);
        for (int index = 0; index < namesAndValues.length; index += 2) {
            Object value = namesAndValues[index + 1];
            if (value == null) continue;
            String fact = Json.write(value instanceof Throwable thrown ? stackOf(thrown) : value);
            out.append(' ').append(namesAndValues[index]).append('=');
            out.append(fact.length() > MAX_FACT ? fact.substring(0, MAX_FACT) + "..." : fact);
        }
        sink.write(at, clean(out.toString()));
    }

    private static String stackOf(Throwable thrown) {
        StringWriter out = new StringWriter();
        thrown.printStackTrace(new PrintWriter(out));
        return out.toString();
    }

    private String clean(String line) {
        String hidden = secret;
        String clean = line;
        if (hidden.length() >= MIN_SECRET) {
            clean = clean.replace(hidden, "***");
            // Inside a value it is JSON-escaped.
            String escaped = Json.write(hidden);
            clean = clean.replace(escaped.substring(1, escaped.length() - 1), "***");
        }
        return clean.replaceAll("\\p{Cc}", " ");
    }
}
