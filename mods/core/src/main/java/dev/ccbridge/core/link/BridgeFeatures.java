package dev.ccbridge.core.link;

/** What a bridge can do beyond the documents, as its answer to the hello says. */
public record BridgeFeatures(boolean customTools, boolean customEvents) {
    static final BridgeFeatures NONE = new BridgeFeatures(false, false);
}
