package dev.ccbridge.core.link;

/** What a bridge supports beyond the documented protocol, from its answer to the hello. */
public record BridgeFeatures(boolean customTools, boolean customEvents) {
    static final BridgeFeatures NONE = new BridgeFeatures(false, false);
}
