package dev.ccbridge.core.settings;

import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class SettingsProperties {
    @Property(tries = 500)
    void anyTextIsReadOrRefused(@ForAll String text) {
        try {
            SettingsReader.read("[bridge]\nauth_token = \"abcd\"\n" + text);
        } catch (SettingsException expected) {
            assertTrue(expected.getMessage().length() > 5);
        }
    }
}
