package dev.ccbridge.core.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.command.CommandPatterns;
import dev.ccbridge.core.log.Level;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    /** The file of the documents, with a valid token. */
    private static final String DOCUMENTS = """
            [bridge]
            url = "ws://localhost:8080"
            auth_token = "a-long-token"
            reconnect_attempts = 5
            reconnect_delay = 5000

            [events]
            enabled = [
              "player_join",
              "player_quit", # a comment
              "player_chat"
            ]

            [commands]
            allowed_patterns = [
              "^say .*",
              "^tp \\\\w+ -?\\\\d+ -?\\\\d+ -?\\\\d+$",
              '^give \\w+ \\w+ \\d+$',
            ]

            [security]
            require_auth = true
            max_command_length = 128

            [logging]
            level = "warn"
            """;

    @Test
    void readsTheFileOfTheDocuments() throws Exception {
        Settings settings = SettingsReader.read(DOCUMENTS);
        assertEquals(new Settings.Bridge(URI.create("ws://localhost:8080"), "a-long-token", 5, 5_000), settings.bridge());
        assertEquals(Set.of("player_join", "player_quit", "player_chat"), settings.events());
        assertEquals(List.of("^say .*", "^tp \\w+ -?\\d+ -?\\d+ -?\\d+$", "^give \\w+ \\w+ \\d+$"), settings.patterns());
        assertEquals(128, settings.maxCommandLength());
        assertEquals(Level.WARN, settings.level());
        assertEquals("minecraft", settings.serverName());
        assertEquals(settings, SettingsReader.read(DOCUMENTS.replace("\n", "\r\n")));
    }

    @Test
    void theTemplateOnlyLacksItsToken() throws Exception {
        SettingsException problem = assertThrows(SettingsException.class, () -> SettingsReader.read(SettingsTemplate.text()));
        assertTrue(problem.getMessage().startsWith("bridge.auth_token is missing."), problem.getMessage());
        Settings settings = SettingsReader.read(SettingsTemplate.text().replace("auth_token = \"\"", "auth_token = \"abcdefgh\""));
        assertEquals(SettingsReader.read("[bridge]\nauth_token = \"abcdefgh\"\n"), settings);
        assertEquals(0, settings.bridge().attempts());
        assertEquals(CommandPatterns.SUGGESTED, settings.patterns());
    }

    @Test
    void refusesWithTheReasonAndTheLine() {
        refused("[bridge]\nauth_token = \"secret\"", "which everyone knows");
        refused("[bridge]\nauth_token = \"with space\"", "printable ASCII");
        refused("[bridge]\nurl = \"http://x\"", "bridge.url must be a ws://");
        refused("[bridge]\nreconnect_attempts = -1", "bridge.reconnect_attempts must be a whole number from 0");
        refused("[bridge]\nreconnect_delay = \"5\"", "bridge.reconnect_delay must be");
        refused("[events]\nenabled = [\"player_sneeze\"]", "\"player_sneeze\" is not one of");
        refused("[events]\nqueue_size = 0", "events.queue_size must be a whole number from 1 to 1000000");
        refused("[commands]\nallowed_patterns = [\"(\"]", "cannot be used");
        refused("[logging]\nlevel = \"LOUD\"", "logging.level must be");
        refused("[server]\nname = \"my server\"", "server.name must be");
        refused("[security]\nrequire_auth = 1", "security.require_auth must be true or false");
        refused("a = 1\na = 2", "line 2: a is there twice");
        refused("\n\na = ", "line 3: a string, a whole number");
        refused("[a\n", "line 1: ] was expected");
        refused("a = \"x\n\"", "line 1: the string does not end");
        refused("a = \"\\d\"", "patterns are easier between single quotes");
        refused("a = [\"x\" \"y\"]", "a comma or ] was expected");
        refused("a = 1 b = 2", "something follows");
        refused("a = \"\"\"x\"\"\"", "strings over several lines");
        refused("a.b = 1", "= was expected");
        refused("a = 99999999999999999999", "too large");
    }

    @Test
    void reportsAllProblemsAtOnce() {
        SettingsException problem = assertThrows(SettingsException.class, () -> SettingsReader.read("[server]\nname = \"\"\n[logging]\nlevel = \"\""));
        assertTrue(problem.getMessage().contains("server.name") && problem.getMessage().contains("logging.level") && problem.getMessage().contains("auth_token"));
    }

    @Test
    void writesAFileOnceAndSeesItsChanges(@TempDir Path folder) throws Exception {
        SettingsFile file = new SettingsFile(folder.resolve("config/minecraft-mcp-bridge.toml"));
        assertTrue(file.createIfMissing());
        assertTrue(file.changed());
        assertEquals(false, file.changed());
        Files.writeString(file.path(), DOCUMENTS);
        assertEquals(false, file.createIfMissing());
        assertTrue(file.changed());
        assertEquals(5, file.load().bridge().attempts());
    }

    private static void refused(String text, String reason) {
        SettingsException problem = assertThrows(SettingsException.class, () -> SettingsReader.read(text));
        assertTrue(problem.getMessage().contains(reason), problem.getMessage());
    }
}
