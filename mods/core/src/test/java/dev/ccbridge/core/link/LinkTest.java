package dev.ccbridge.core.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.TestServer;
import dev.ccbridge.core.api.CustomTool;
import dev.ccbridge.core.api.McpApi;
import dev.ccbridge.core.fake.FakeBridge;
import dev.ccbridge.core.fake.FakeSocket;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.Encoder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LinkTest {
    @Test
    void introducesItselfWithItsTokenAndName() throws Exception {
        try (TestServer server = TestServer.linked("[server]\nname = \"survival\"\n")) {
            FakeSocket socket = server.bridge.nextSocket();
            assertEquals("Bearer " + TestServer.TOKEN, socket.headers.get("authorization"));
            assertTrue(socket.request.contains("/minecraft?server=survival"), socket.request);
            Map<String, Object> hello = server.hello;
            assertEquals("survival", hello.get("name"));
            assertEquals(true, hello.get("acknowledge"));
            assertEquals(0.0, hello.get("eventCount"));
            assertEquals(Json.object("software", "Test", "version", "1.21.1"), hello.get("game"));
            Map<String, Object> capabilities = Json.asObject(hello.get("capabilities"));
            assertEquals(12, ((List<?>) capabilities.get("tools")).size());
            assertEquals(5, ((List<?>) capabilities.get("events")).size());
        }
    }

    @Test
    void sendsAgainWhatWasNotAcknowledged() throws Exception {
        try (TestServer server = TestServer.linked()) {
            server.mod.events().playerJoin("A", "u");
            assertEquals(0.0, server.bridge.nextEvent().get("seq"));
            // A cut can overtake the acknowledgement.
            server.bridge.settle();
            server.bridge.acknowledges = false;
            server.mod.events().playerJoin("B", "u");
            assertEquals(1.0, server.bridge.nextEvent().get("seq"));
            server.bridge.acknowledges = true;
            server.bridge.socket.cut();
            server.mod.events().playerJoin("C", "u");
            Map<String, Object> hello = server.bridge.nextCommand("hello");
            assertEquals(1.0, hello.get("nextEvent"));
            assertTrue((Double) hello.get("eventCount") >= 2);
            assertEquals(List.of(1.0, 2.0), List.of(server.bridge.nextEvent().get("seq"), server.bridge.nextEvent().get("seq")));
        }
    }

    @Test
    void doesNotSendWhatTheBridgeSaysItHas() throws Exception {
        try (TestServer server = TestServer.linked()) {
            server.bridge.answersHello = false;
            server.bridge.socket.cut();
            Map<String, Object> hello = server.bridge.next(FakeBridge::isHello);
            for (int count = 0; count < 5; count++) server.mod.events().playerJoin("A", "u");
            server.bridge.nextEvent = 3;
            server.bridge.answerHello(hello);
            assertEquals(3.0, server.bridge.nextEvent().get("seq"));
        }
    }

    @Test
    void givesUpAfterTheConfiguredAttemptsAndBeginsAgainWithNewSettings() throws Exception {
        FakeBridge bridge = new FakeBridge();
        bridge.refuseWith = 500;
        try (TestServer server = new TestServer(bridge, "reconnect_attempts = 2\n")) {
            String line = server.awaitLog("giving up");
            assertTrue(line.startsWith("ERROR") && line.contains("500") && line.contains("attempts=2"), line);
            assertEquals(3, bridge.sockets.size());
            bridge.refuseWith = 0;
            server.write("reconnect_attempts = 3\n");
            server.awaitLink();
        }
    }

    @Test
    void beginsAgainWhenTheFileIsSavedWithTheSameSettings() throws Exception {
        FakeBridge bridge = new FakeBridge();
        bridge.refuseWith = 500;
        try (TestServer server = new TestServer(bridge, "reconnect_attempts = 1\n")) {
            server.awaitLog("giving up");
            bridge.refuseWith = 0;
            server.write("reconnect_attempts = 1\n");
            server.awaitLink();
        }
    }

    @Test
    void waitsLongAfterARefusedToken() throws Exception {
        for (int status : List.of(401, 403, 429)) {
            FakeBridge bridge = new FakeBridge();
            bridge.refuseWith = status;
            try (TestServer server = new TestServer(bridge, "")) {
                String line = server.awaitLog("not linked");
                assertTrue(line.contains("retryMs=60000") && line.contains("answered " + status), line);
            }
        }
    }

    @Test
    void understandsCloseCodes() throws Exception {
        for (int code : List.of(4401, 4409, 4423)) {
            try (TestServer server = TestServer.linked()) {
                server.bridge.socket.close(code);
                assertTrue(server.awaitLog("not linked").contains("retryMs=60000"));
            }
        }
        try (TestServer server = TestServer.linked()) {
            server.bridge.socket.close(1001);
            server.awaitLink();
        }
    }

    @Test
    void endsALinkThatSendsTooMuchOrBinary() throws Exception {
        try (TestServer server = TestServer.linked()) {
            try {
                server.bridge.socket.frame(FakeSocket.TEXT, "x".repeat(300_000).getBytes(StandardCharsets.UTF_8));
            } catch (IOException endedMeanwhile) {
                // Expected.
            }
            assertTrue(server.awaitLog("not linked").contains("more than 262144"));
            server.awaitLink();
            server.bridge.socket.frame(FakeSocket.BINARY, new byte[10]);
            assertTrue(server.awaitLog("not linked").contains("binary"));
            server.awaitLink();
        }
    }

    @Test
    void aFullQueueDropsTheOldestAndCounts() throws Exception {
        ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
        try (TestServer server = TestServer.linked()) {
            server.bridge.refuseWith = 503;
            server.bridge.socket.cut();
            server.awaitLog("not linked");
            long started = cpu.getCurrentThreadCpuTime();
            for (int count = 0; count < 12_000; count++) server.mod.events().playerChat("A", "line " + count);
            // 12,000 in far less than the 600 ticks in which a busy server creates them.
            assertTrue(cpu.getCurrentThreadCpuTime() - started < 5_000_000_000L);
            server.mod.stop();
            assertTrue(server.awaitLog("stopped").contains("unsentEvents=10000 lostEvents=2000"));
        }
    }

    @Test
    void keepsAsManyEventsAsTheSettingsSay() throws Exception {
        try (TestServer server = TestServer.linked("[events]\nqueue_size = 3\n")) {
            server.bridge.refuseWith = 503;
            server.bridge.socket.cut();
            server.awaitLog("not linked");
            for (int count = 0; count < 10; count++) server.mod.events().playerChat("A", "line " + count);
            server.write("[events]\nqueue_size = 5\n");
            server.awaitLog("settings changed");
            for (int count = 0; count < 10; count++) server.mod.events().playerChat("A", "line " + count);
            server.mod.stop();
            assertTrue(server.awaitLog("stopped").contains("unsentEvents=5 lostEvents=15"));
        }
    }

    @Test
    void answersBeforeTheBridgeGivesUp() throws Exception {
        FakeBridge bridge = new FakeBridge();
        bridge.timeoutMs = 900L;
        try (TestServer server = new TestServer(bridge, "[commands]\nallowed_patterns = ['.*']\n")) {
            server.awaitLink();
            CountDownLatch release = new CountDownLatch(1);
            server.thread.executor.execute(() -> {
                try {
                    release.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
            Map<String, Object> answer = bridge.call("execute_command", Json.object("command", "say hi"));
            assertEquals("TIMEOUT", Json.asObject(answer.get("error")).get("code"));
            release.countDown();
        }
        assertEquals(List.of(25_000L, 55_000L, 595_000L), List.of(Requests.deadlineOf(30_000), Requests.deadlineOf(60_000), Requests.deadlineOf(600_000)));
        assertEquals(List.of(24_000L, 54_000L, 751L), List.of(Requests.stepsOf(30_000), Requests.stepsOf(60_000), Requests.stepsOf(1_000)));
    }

    @Test
    void stopsWhileACommandRuns() throws Exception {
        try (TestServer server = TestServer.linked()) {
            CountDownLatch busy = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            server.thread.executor.execute(() -> {
                busy.countDown();
                try {
                    release.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
            busy.await();
            server.bridge.ask("command", "execute_command", Json.object("command", "say hi"));
            server.bridge.settle();
            assertTimeout(FakeBridge.STOP, server.mod::stop);
            // Handlers of a stopping server may still be called.
            server.mod.events().playerQuit("A", "u");
            release.countDown();
        }
    }

    @Test
    void stopsThoughTheBridgeDoesNotAnswerItsGoodbye() throws Exception {
        try (TestServer server = TestServer.linked()) {
            server.bridge.socket.answersClose = false;
            assertTimeout(FakeBridge.STOP, server.mod::stop);
            server.bridge.socket.over.await();
        }
    }

    @Test
    void answersBusyInsteadOfHoldingEverything() throws Exception {
        try (TestServer server = TestServer.linked()) {
            CountDownLatch release = new CountDownLatch(1);
            server.thread.executor.execute(() -> {
                try {
                    release.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
            String last = "";
            for (int count = 0; count < 500; count++) last = server.bridge.ask("query", "get_online_players", Map.of());
            assertTrue(Json.write(server.bridge.answerTo(last)).contains("busy"));
            release.countDown();
            server.bridge.next(frame -> "request-1".equals(frame.get("id")));
        }
    }

    @Test
    void servesARequestOnce() throws Exception {
        try (TestServer server = TestServer.linked()) {
            String frame = FakeBridge.frame("command", "same", Json.object("command", "execute_command", "args", Json.object("command", "say hi")));
            server.bridge.socket.send(frame);
            server.bridge.socket.send(frame);
            server.bridge.answerTo("same");
            server.bridge.call("get_server_info", Map.of());
            assertEquals(List.of("say hi"), server.game.ran);
        }
    }

    @Test
    void takesChangedSettingsWhileItRuns() throws Exception {
        try (TestServer server = TestServer.linked()) {
            server.write("[commands]\nallowed_patterns = ['^list$']\ntools = [\"execute_command\"]\n[events]\nenabled = [\"player_chat\"]\n");
            server.awaitLog("settings changed");
            Map<String, Object> hello = server.bridge.nextCommand("hello");
            assertEquals(List.of("execute_command"), Json.asObject(hello.get("capabilities")).get("tools"));
            assertTrue(Json.write(server.bridge.call("execute_command", Json.object("command", "say hi"))).contains("INVALID_COMMAND"));
            assertTrue(Json.write(server.bridge.call("get_server_info", Map.of())).contains("PERMISSION_DENIED"));
            server.mod.events().playerJoin("A", "u");
            server.mod.events().playerChat("A", "hi");
            assertEquals("player_chat", server.bridge.nextEvent().get("eventType"));
            server.write("[commands]\nallowed_patterns = ['(']\n");
            assertTrue(server.awaitLog("not used").contains("cannot be used"));
            assertEquals(true, server.bridge.call("execute_command", Json.object("command", "list")).get("success"));
        }
    }

    @Test
    void writesItsSettingsAndWaitsForThem() throws Exception {
        FakeBridge bridge = new FakeBridge();
        try (TestServer server = new TestServer(bridge, "auth_token = \"twice\"\n")) {
            assertTrue(server.awaitLog("not linked").contains("line 5: bridge.auth_token is there twice"));
            server.write("");
            server.awaitLink();
        }
    }

    @Test
    void offersCustomToolsAndEventsToABridgeThatTakesThem() throws Exception {
        FakeBridge bridge = new FakeBridge();
        bridge.features = List.of("tools", "events");
        bridge.answersHello = false;
        try (TestServer server = new TestServer(bridge, "")) {
            Map<String, Object> hello = bridge.next(FakeBridge::isHello);
            CustomTool tool = new CustomTool("open_shop", "Opens the shop", Json.object("type", "object"), false);
            McpApi.Registration registration = server.extensions.registerTool(tool, args -> "opened " + args.get("door"));
            server.extensions.registerEvent("shop:sold");
            bridge.answerHello(hello);
            server.awaitLink();
            Map<String, Object> offered = bridge.nextCommand("offer_tools");
            assertEquals(List.of(tool.toJson()), offered.get("tools"));
            Map<String, Object> answer = bridge.call("call_tool", Json.object("name", "open_shop", "arguments", Json.object("door", "north")));
            assertEquals(Json.object("result", "opened north"), answer.get("data"));
            assertTrue(server.extensions.emit("shop:sold", Json.object("item", "bread")));
            assertEquals("shop:sold", bridge.nextEvent().get("eventType"));
            assertFalse(server.extensions.emit("shop:unknown", Map.of()));
            assertFalse(server.extensions.emit("shop:sold", Json.object("much", "x".repeat(9_000))));
            registration.close();
            assertEquals(List.of(), bridge.nextCommand("offer_tools").get("tools"));
            assertTrue(Json.write(bridge.call("call_tool", Json.object("name", "open_shop"))).contains("There is no tool"));
        }
    }

    @Test
    void keepsCustomToolsAndEventsFromABridgeThatDoesNotKnowThem() throws Exception {
        try (TestServer server = TestServer.linked()) {
            server.extensions.registerTool(new CustomTool("a", "", Json.object("type", "object"), true), args -> {
                throw new IllegalStateException("no door");
            });
            server.extensions.registerEvent("shop:sold");
            assertFalse(server.extensions.emit("shop:sold", Map.of()));
            String id = server.bridge.ask("command", "call_tool", Json.object("name", "a"));
            List<String> came = new ArrayList<>();
            server.bridge.next(frame -> {
                came.add(Json.write(frame));
                return id.equals(frame.get("id"));
            });
            assertTrue(came.get(came.size() - 1).contains("a failed: no door"));
            assertFalse(came.toString().contains("offer_tools"), came.toString());
        }
    }

    @Test
    void neverWritesItsToken() throws Exception {
        try (TestServer server = TestServer.linked()) {
            server.bridge.call("execute_command", Json.object("command", "throw " + TestServer.TOKEN));
            String line = server.awaitLog("failed");
            assertTrue(line.contains("***") && !line.contains(TestServer.TOKEN), line);
        }
    }

    @Test
    void keepsTheSumOfItsCustomToolsInOneMessage() throws Exception {
        try (TestServer server = TestServer.linked()) {
            List<AutoCloseable> registered = new ArrayList<>();
            Map<String, Object> schema = Json.object("type", "object", "title", "\u4f60".repeat(5_000));
            String refusal = "";
            while (refusal.isEmpty()) {
                CustomTool tool = new CustomTool("long_" + registered.size(), "Long", schema, true);
                try {
                    registered.add(server.extensions.registerTool(tool, arguments -> null));
                } catch (IllegalStateException problem) {
                    refusal = problem.getMessage();
                }
            }
            assertTrue(refusal.contains("245760 bytes"), refusal);
            assertEquals(16, registered.size());
            String offer = Encoder.command("id", "offer_tools", Json.object("tools", server.extensions.describeTools()), null);
            assertTrue(offer.getBytes(StandardCharsets.UTF_8).length <= 256 * 1_024);
            registered.remove(0).close();
            server.extensions.registerTool(new CustomTool("again", "Long", schema, true), arguments -> null);
        }
    }
}
