package dev.ccbridge.core.event;

import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.link.Outbox;
import dev.ccbridge.core.log.Log;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The events of the game. The adapters call these methods from the game's threads: they only append to a queue, never
 * wait, and never throw, because an exception in a handler would stop the server.
 */
public final class Events {
    private static final int MAX_NAME = 64;
    private static final int MAX_MESSAGE = 4_096;
    private static final int MAX_CAUSE = 1_024;

    private final Outbox outbox;
    private final Log log;
    private final Runnable onEvent;
    private volatile Set<String> enabled = Set.of();

    public Events(Outbox outbox, Log log, Runnable onEvent) {
        this.outbox = outbox;
        this.log = log;
        this.onEvent = onEvent;
    }

    /** The names of the events that the owner of the server allows. */
    public void enable(Set<String> names) {
        enabled = Set.copyOf(names);
    }

    public void playerJoin(String player, String uuid) {
        report("player_join", () -> Json.object("player", cut(player, MAX_NAME), "uuid", uuid));
    }

    public void playerQuit(String player, String uuid) {
        report("player_quit", () -> Json.object("player", cut(player, MAX_NAME), "uuid", uuid));
    }

    public void playerChat(String player, String message) {
        report("player_chat", () -> Json.object("player", cut(player, MAX_NAME), "message", cut(message, MAX_MESSAGE)));
    }

    /** {@code killer} is null unless a player or a creature did it. */
    public void playerDeath(String player, String cause, Location location, String killer) {
        report("player_death", () -> {
            Map<String, Object> data = Json.object(
                    "player", cut(player, MAX_NAME), "cause", cut(cause, MAX_CAUSE), "location", location == null ? null : location.toJson());
            if (killer != null) data.put("killer", cut(killer, MAX_NAME));
            return data;
        });
    }

    public void blockBreak(String player, String blockType, Location location) {
        report("block_break", () -> Json.object("player", cut(player, MAX_NAME), "blockType", blockType, "location", location.toJson()));
    }

    /**
     * Runs a handler of an adapter, which reads the facts of an event from the game. Everything that it throws is
     * logged, including linkage errors with another version of the game.
     */
    public void handle(String eventType, Runnable handler) {
        try {
            if (enabled.contains(eventType)) handler.run();
        } catch (RuntimeException | LinkageError problem) {
            log.error("an event could not be reported", "eventType", eventType, "reason", String.valueOf(problem), "stack", problem);
        }
    }

    private void report(String eventType, Supplier<Map<String, Object>> data) {
        handle(eventType, () -> {
            outbox.push(eventType, System.currentTimeMillis(), data.get(), false);
            onEvent.run();
        });
    }

    private static String cut(String text, int max) {
        return text.length() > max ? text.substring(0, max) : text;
    }
}
