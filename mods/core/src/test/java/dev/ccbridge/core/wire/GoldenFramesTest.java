package dev.ccbridge.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.json.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The golden messages of the bridge: both sides must read and write them alike. */
class GoldenFramesTest {
    private static final Path ROOT = Path.of("../../packages/protocol/fixtures/minecraft");

    @TestFactory
    Stream<DynamicTest> goldenFrames() throws Exception {
        List<Path> files;
        try (Stream<Path> found = Files.walk(ROOT)) {
            files = found.filter(path -> path.toString().endsWith(".json") && !path.getParent().equals(ROOT)).sorted().toList();
        }
        assertTrue(files.size() > 50);
        return files.stream().map(path -> DynamicTest.dynamicTest(ROOT.relativize(path).toString(), () -> check(path)));
    }

    private static void check(Path path) throws Exception {
        Map<String, Object> fixture = object(Files.readString(path));
        String from = (String) fixture.get("from");
        Decoded decoded = Decoder.decode((String) fixture.get("text"), from);
        assertEquals(Boolean.TRUE.equals(fixture.get("foreignVersion")), decoded.foreignVersion());
        // Only the bridge reads the content of events.
        boolean isEvent = ((String) fixture.get("text")).contains("\"type\":\"event\"");
        if (fixture.get("refused") instanceof String reason) {
            if (isEvent && from.equals("minecraft") && reason.startsWith("payload")) return;
            Decoded.Refused refused = assertInstanceOf(Decoded.Refused.class, decoded);
            assertEquals(reason, refused.reason().substring(0, Math.min(reason.length(), refused.reason().length())));
            assertEquals(fixture.get("id"), refused.id());
            return;
        }
        Frame frame = assertInstanceOf(Decoded.Message.class, decoded).frame();
        Map<String, Object> golden = Json.asObject(fixture.get("frame"));
        assertEquals(golden.get("id"), frame.id());
        Map<String, Object> payload = Json.asObject(golden.get("payload"));
        if (frame instanceof Frame.Request request) {
            assertEquals(payload.get(request.isQuery() ? "query" : "command"), request.name());
            assertEquals(payload.get("args"), request.args());
        } else if (frame instanceof Frame.Answer answer) {
            checkOutcome(Json.asObject(golden.get("outcome")), answer.outcome());
        } else {
            checkWritten((String) fixture.get("text"), golden, payload);
        }
    }

    private static void checkOutcome(Map<String, Object> golden, Outcome outcome) {
        assertEquals(golden.get("ok"), outcome.ok());
        assertEquals(golden.get("data"), outcome.data());
        assertEquals(golden.get("code"), outcome.code());
        assertEquals(golden.get("message"), outcome.message());
        assertEquals(golden.get("details"), outcome.details());
    }

    /** What this side writes for the event is what the bridge expects. */
    private static void checkWritten(String text, Map<String, Object> golden, Map<String, Object> payload) throws Exception {
        long seq = payload.get("seq") instanceof Double given ? given.longValue() : 0;
        long time = ((Double) payload.get("timestamp")).longValue();
        Map<String, Object> written = object(Encoder.event(
                (String) golden.get("id"), (String) payload.get("eventType"), time, Json.asObject(payload.get("data")), seq));
        assertTrue(object(text).keySet().containsAll(written.keySet()));
        for (String same : List.of("type", "id", "source")) assertEquals(golden.get(same), written.get(same));
        Map<String, Object> wanted = Json.asObject(payload);
        wanted.putIfAbsent("seq", 0.0);
        assertEquals(wanted, written.get("payload"));
    }

    private static Map<String, Object> object(String text) throws Exception {
        return Json.asObject(JsonReader.read(text, 1_000_000));
    }
}
