package dev.ccbridge.core.property;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.TestServer;
import dev.ccbridge.core.event.Events;
import dev.ccbridge.core.game.Location;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.settings.Settings;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.lifecycle.BeforeTry;

class EventProperties {
    private static final Map<String, Set<String>> REQUIRED = Map.of(
            "player_join", Set.of("player", "uuid"),
            "player_quit", Set.of("player", "uuid"),
            "player_chat", Set.of("player", "message"),
            "player_death", Set.of("player", "cause", "location"),
            "block_break", Set.of("player", "blockType", "location"));
    private static TestServer server;

    @BeforeContainer
    static void start() throws Exception {
        server = TestServer.linked();
    }

    @AfterContainer
    static void stop() throws Exception {
        server.close();
    }

    /** Drops what a failed try left unread. */
    @BeforeTry
    void nothingUnread() throws Exception {
        server.bridge.settle();
    }

    // Feature: minecraft-mcp-bridge, Property 1: Event notification completeness
    @Property(tries = 200)
    void eventsHaveAllTheirFields(
            @ForAll("types") String type, @ForAll("names") String player, @ForAll("texts") String text, @ForAll("locations") Location place)
            throws Exception {
        happen(server.mod.events(), type, player, text, place);
        Map<String, Object> event = server.bridge.nextEvent();
        assertEquals(type, event.get("eventType"));
        assertTrue(event.get("timestamp") instanceof Double);
        Map<String, Object> data = Json.asObject(event.get("data"));
        assertEquals(player, data.get("player"));
        for (String field : REQUIRED.get(type)) assertNotNull(data.get(field), field);
        if (type.equals("player_chat")) assertEquals(text, data.get("message"));
        if (data.containsKey("location")) assertEquals(place.toJson(), data.get("location"));
    }

    // Feature: minecraft-mcp-bridge, Property 6: Event filtering by configuration
    @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
    void eventsThatAreNotEnabledAreNotSent(@ForAll("enabled") Set<String> enabled, @ForAll("types") String type) throws Exception {
        Set<String> allowed = new HashSet<>(enabled);
        // Sent last: when it has arrived, the other one would have.
        allowed.add("player_quit");
        server.mod.events().enable(allowed);
        happen(server.mod.events(), type, "A", "text", new Location("minecraft:overworld", 1, 2, 3));
        happen(server.mod.events(), "player_quit", "End", "u", null);
        server.mod.events().enable(Set.copyOf(Settings.EVENTS));
        if (allowed.contains(type)) assertEquals(type, server.bridge.nextEvent().get("eventType"));
        assertEquals("End", Json.asObject(server.bridge.nextEvent().get("data")).get("player"));
    }

    // Feature: minecraft-mcp-bridge, Property 20: Message schema version inclusion
    @Property(tries = 100)
    void messagesHaveAVersion(@ForAll("names") String player, @ForAll boolean ask) throws Exception {
        Map<String, Object> frame;
        if (ask) {
            String id = server.bridge.ask("query", "get_player_info", Json.object("player", player));
            frame = server.bridge.next(any -> id.equals(any.get("id")));
        } else {
            server.mod.events().playerJoin(player, "u");
            frame = server.bridge.next(any -> "event".equals(any.get("type")));
        }
        assertEquals("1.0.0", frame.get("version"));
        assertEquals("minecraft", frame.get("source"));
    }

    private static void happen(Events events, String type, String player, String text, Location place) {
        switch (type) {
            case "player_join" -> events.playerJoin(player, "069a79f4-44e9-4726-a5be-fca90e38aaf5");
            case "player_quit" -> events.playerQuit(player, "069a79f4-44e9-4726-a5be-fca90e38aaf5");
            case "player_chat" -> events.playerChat(player, text);
            case "player_death" -> events.playerDeath(player, text, place, null);
            default -> events.blockBreak(player, "minecraft:stone", place);
        }
    }

    @Provide
    Arbitrary<String> types() {
        return Arbitraries.of(Settings.EVENTS);
    }

    @Provide
    Arbitrary<Set<String>> enabled() {
        return Arbitraries.of(Settings.EVENTS).set();
    }

    @Provide
    Arbitrary<String> names() {
        return Generated.playerNames();
    }

    @Provide
    Arbitrary<String> texts() {
        return Generated.texts();
    }

    @Provide
    Arbitrary<Location> locations() {
        return Generated.locations();
    }
}
