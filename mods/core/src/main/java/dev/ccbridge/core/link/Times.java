package dev.ccbridge.core.link;

/**
 * The waits that no setting changes.
 *
 * @param settingsPollMs how often the settings are looked at
 * @param maxRetryMs the longest wait between attempts
 * @param refusedMs the wait after a refusal that only a person can resolve
 */
public record Times(long settingsPollMs, long maxRetryMs, long refusedMs) {
    public static final Times DEFAULT = new Times(2_000, 30_000, 60_000);
}
