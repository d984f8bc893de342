package dev.ccbridge.core.tool;

import dev.ccbridge.core.wire.ErrorCode;
import java.util.Map;

/** Why a request failed; code, message and details are sent to the bridge. */
public final class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final transient Map<String, Object> details;

    public RequestException(ErrorCode code, String message) {
        this(code, message, null);
    }

    RequestException(ErrorCode code, String message, Map<String, Object> details) {
        super(message);
        this.code = code;
        this.details = details;
    }

    public ErrorCode code() {
        return code;
    }

    public Map<String, Object> details() {
        return details;
    }
}
