package dev.ccbridge.core.property;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.TestServer;
import dev.ccbridge.core.fake.FakeBridge;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.link.Backoff;
import dev.ccbridge.core.link.Outbox;
import dev.ccbridge.core.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

class LinkProperties {
    private static TestServer server;

    @BeforeContainer
    static void start() throws Exception {
        server = TestServer.linked();
    }

    @AfterContainer
    static void stop() throws Exception {
        server.close();
    }

    // Feature: minecraft-mcp-bridge, Property 12: Malformed message resilience
    @Property(tries = 300)
    void goesOnAfterMalformedMessages(@ForAll("garbage") String garbage) throws Exception {
        server.bridge.socket.send(garbage);
        assertEquals(true, server.bridge.call("get_server_info", Map.of()).get("success"));
    }

    // Feature: minecraft-mcp-bridge, Property 13: Connection error recovery
    @Property(tries = 100)
    void waitsLongerUntilTheBoundAndNeverTheSame(@ForAll @IntRange(min = 100, max = 3_600_000) int first, @ForAll @DoubleRange(max = 1) double random) {
        Backoff backoff = new Backoff(first, 30_000, () -> random);
        long bound = Math.max(first, 30_000);
        for (int attempt = 0; attempt < 40; attempt++) {
            long wanted = (long) Math.min(bound, first * Math.pow(2, attempt));
            long wait = backoff.next();
            assertTrue(wait >= Math.floor(wanted * 0.75) && wait <= wanted, wait + " of " + wanted);
        }
        assertEquals(40, backoff.failures());
        backoff.reset();
        assertTrue(backoff.next() <= first);
    }

    // Feature: minecraft-mcp-bridge, Property 14: Component startup logging
    @Property(tries = 100)
    void startsWithItsVersionSettingsAndConnectionInTheLog(@ForAll("serverNames") String name, @ForAll("events") Set<String> events, @ForAll boolean reachable)
            throws Exception {
        String toml = "[server]\nname = \"" + name + "\"\n[events]\nenabled = " + Json.write(List.copyOf(events)) + "\n";
        FakeBridge bridge = new FakeBridge();
        if (!reachable) bridge.close();
        try (TestServer started = new TestServer(bridge, toml)) {
            assertTrue(started.awaitLog("ccbridge for Minecraft").contains("version=\"0.0.0\" software=\"Test\" game=\"1.21.1\""));
            String settings = started.awaitLog("settings name=");
            assertTrue(settings.contains("name=" + Json.write(name) + " bridge=\"ws://127.0.0.1"), settings);
            for (String event : Settings.EVENTS) assertEquals(events.contains(event), settings.contains(event), settings);
            assertTrue(!settings.contains(TestServer.TOKEN));
            String connection = started.awaitLog("linked to the bridge");
            assertEquals(!reachable, connection.contains("not linked to the bridge reason=\""), connection);
        }
    }

    // Feature: minecraft-mcp-bridge, Property 21: Schema validation enforcement
    @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
    void answersInvalidMessagesWithTheirId(@ForAll("broken") Map<String, Object> broken) throws Exception {
        String id = "invalid-" + System.nanoTime();
        broken.put("id", id);
        server.bridge.socket.send(Json.write(broken));
        Map<String, Object> answer = server.bridge.next(frame -> id.equals(frame.get("id")));
        assertEquals("error", answer.get("type"));
        assertEquals("SCHEMA_ERROR", Json.asObject(answer.get("payload")).get("code"));
    }

    // Feature: minecraft-mcp-bridge, Property 22: Version mismatch handling
    @Property(tries = 100)
    void readsOtherVersionsAsFarAsPossible(@ForAll("versions") String version, @ForAll int number) throws Exception {
        String id = "version-" + number + "-" + System.nanoTime();
        server.bridge.socket.send(Json.write(Json.object(
                "version", version, "type", "query", "id", id, "timestamp", 1, "source", "mcp", "payload", Json.object("query", "get_online_players"))));
        assertEquals(true, server.bridge.answerTo(id).get("success"));
    }

    @Property(tries = 200)
    void theQueueLosesNothingThatItDoesNotCount(@ForAll("steps") List<String> steps) {
        OutboxModel model = new OutboxModel();
        for (String step : steps) model.step(step);
        model.check();
    }

    @Provide
    Arbitrary<String> serverNames() {
        return Arbitraries.strings().withCharRange('a', 'z').withCharRange('A', 'Z').numeric().withChars("_.-").ofMinLength(1).ofMaxLength(32);
    }

    @Provide
    Arbitrary<Set<String>> events() {
        return Arbitraries.of(Settings.EVENTS).set();
    }

    @Provide
    Arbitrary<List<String>> steps() {
        return Arbitraries.of("push", "push", "push", "send", "send", "acknowledge", "restart").list().ofMaxSize(80);
    }

    @Provide
    Arbitrary<String> garbage() {
        return Arbitraries.oneOf(
                Arbitraries.strings().ofMaxLength(100).map(text -> text.replaceAll("[\ud800-\udfff]", "?")),
                Arbitraries.of("", "{", "[]", "null", "{}", "[".repeat(5_000), "{\"a\":".repeat(2_000), "{\"id\":5}", "{\"type\":\"command\"}", "\"\\ud800\"",
                        FakeBridge.frame("event", "e", Json.object("eventType", "player_join")),
                        FakeBridge.frame("response", "nobody", Json.object("success", true)),
                        FakeBridge.frame("response", "x", Json.object("success", "maybe"))));
    }

    @Provide
    Arbitrary<Map<String, Object>> broken() {
        Map<String, Object> good = Json.object(
                "version", "1.0.0", "type", "command", "id", "", "timestamp", 1, "source", "mcp", "payload", Json.object("command", "x"));
        return Arbitraries.of("version", "type", "timestamp", "source", "payload").map(field -> {
            Map<String, Object> broken = Json.object();
            broken.putAll(good);
            broken.put(field, List.of(1));
            return broken;
        });
    }

    @Provide
    Arbitrary<String> versions() {
        return Arbitraries.oneOf(Arbitraries.of("2.0.0", "0.9.0", "newest", "1.4.2"), Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(10));
    }
}
