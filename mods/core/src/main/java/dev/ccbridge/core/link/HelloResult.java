package dev.ccbridge.core.link;

import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.Frame;
import java.util.List;
import java.util.Map;

/** The bridge's answer to the hello. A bridge without an answer acknowledges nothing and has no features. */
record HelloResult(String version, String name, boolean acknowledge, long nextEvent, BridgeFeatures features, long timeoutMs) {
    /** How long a bridge waits for an answer unless it says otherwise. */
    static final long TIMEOUT_MS = 30_000;

    static HelloResult of(Frame.Answer answer) {
        Map<String, Object> data = answer != null && answer.outcome().ok() ? Json.asObject(answer.outcome().data()) : null;
        if (data == null) return new HelloResult(null, null, false, 0, BridgeFeatures.NONE, TIMEOUT_MS);
        List<?> features = data.get("features") instanceof List<?> list ? list : List.of();
        return new HelloResult(
                data.get("version") instanceof String version ? version : null,
                data.get("name") instanceof String name ? name : null,
                Boolean.TRUE.equals(data.get("acknowledge")),
                data.get("nextEvent") instanceof Double next && next >= 0 ? next.longValue() : 0,
                new BridgeFeatures(features.contains("tools"), features.contains("events")),
                data.get("timeoutMs") instanceof Double ms && ms >= 100 && ms <= 3_600_000 ? ms.longValue() : TIMEOUT_MS);
    }
}
