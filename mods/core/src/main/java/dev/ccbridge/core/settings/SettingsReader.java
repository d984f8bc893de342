package dev.ccbridge.core.settings;

import dev.ccbridge.core.command.CommandPatterns;
import dev.ccbridge.core.command.PatternException;
import dev.ccbridge.core.log.Level;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Validates the settings file and reports all problems at once. */
public final class SettingsReader {
    /** Used in documentation, so it is public. */
    private static final String EXAMPLE_TOKEN = "secret";

    private final Map<String, Object> values;
    private final List<String> problems = new ArrayList<>();

    private SettingsReader(Map<String, Object> values) {
        this.values = values;
    }

    /** Unknown keys are ignored: the server agent reads the same file and has more of them. */
    public static Settings read(String text) throws SettingsException {
        SettingsReader reader = new SettingsReader(Toml.read(text));
        Settings settings = reader.settings();
        if (!reader.problems.isEmpty()) throw new SettingsException(String.join(" ", reader.problems));
        return settings;
    }

    private Settings settings() {
        Settings.Bridge bridge = new Settings.Bridge(
                url(),
                token(),
                number("bridge.reconnect_attempts", 0, 0, 1_000_000),
                number("bridge.reconnect_delay", 1_000, 100, 3_600_000));
        int maxLength = number("security.max_command_length", CommandPatterns.MAX_LENGTH, 1, 1_000_000);
        List<String> patterns = strings("commands.allowed_patterns", CommandPatterns.SUGGESTED);
        checkPatterns(patterns);
        return new Settings(
                bridge,
                names("events.enabled", Settings.EVENTS),
                flag("events.custom", true),
                number("events.queue_size", Settings.QUEUE_SIZE, 1, 1_000_000),
                names("commands.tools", Settings.TOOLS),
                flag("commands.custom_tools", true),
                patterns,
                maxLength,
                level(),
                serverName());
    }

    private URI url() {
        String text = string("bridge.url", "ws://localhost:3001/minecraft");
        try {
            URI url = new URI(text);
            if (List.of("ws", "wss").contains(String.valueOf(url.getScheme())) && url.getHost() != null) return url;
        } catch (URISyntaxException notAnAddress) {
            // Reported below.
        }
        problems.add("bridge.url must be a ws:// or wss:// address.");
        return URI.create("ws://localhost");
    }

    private String token() {
        String token = string("bridge.auth_token", "");
        boolean required = flag("security.require_auth", true);
        if (token.equals(EXAMPLE_TOKEN)) {
            problems.add("bridge.auth_token is \"" + EXAMPLE_TOKEN + "\", which everyone knows. Use one of the bridge's tokens.");
        } else if (required && token.isEmpty()) {
            problems.add("bridge.auth_token is missing. Set it to one of the bridge's MINECRAFT_TOKENS.");
        } else if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            problems.add("bridge.auth_token may hold printable ASCII characters only, without spaces.");
        }
        return token;
    }

    private void checkPatterns(List<String> patterns) {
        for (String pattern : patterns) {
            try {
                new CommandPatterns(List.of(pattern), 1);
            } catch (PatternException problem) {
                problems.add("commands.allowed_patterns: " + problem.getMessage());
            }
        }
    }

    private Level level() {
        String name = string("logging.level", "INFO").toUpperCase(Locale.ROOT);
        try {
            return Level.valueOf(name);
        } catch (IllegalArgumentException unknown) {
            problems.add("logging.level must be DEBUG, INFO, WARN or ERROR.");
            return Level.INFO;
        }
    }

    private String serverName() {
        String name = string("server.name", "minecraft");
        if (!name.matches("[A-Za-z0-9_.-]{1,32}")) problems.add("server.name must be 1 to 32 letters, digits, dots and hyphens.");
        return name;
    }

    private Set<String> names(String key, List<String> known) {
        List<String> names = strings(key, known);
        for (String name : names) {
            if (!known.contains(name)) problems.add(key + ": \"" + name + "\" is not one of " + String.join(", ", known) + ".");
        }
        return new LinkedHashSet<>(names);
    }

    private String string(String key, String otherwise) {
        Object value = values.getOrDefault(key, otherwise);
        if (value instanceof String text) return text;
        problems.add(key + " must be a string.");
        return otherwise;
    }

    private boolean flag(String key, boolean otherwise) {
        Object value = values.getOrDefault(key, otherwise);
        if (value instanceof Boolean flag) return flag;
        problems.add(key + " must be true or false.");
        return otherwise;
    }

    private int number(String key, int otherwise, int min, int max) {
        Object value = values.getOrDefault(key, (long) otherwise);
        if (value instanceof Long number && number >= min && number <= max) return number.intValue();
        problems.add(key + " must be a whole number from " + min + " to " + max + ".");
        return otherwise;
    }

    private List<String> strings(String key, List<String> otherwise) {
        Object value = values.getOrDefault(key, otherwise);
        if (value instanceof List<?> list) return list.stream().map(String::valueOf).toList();
        problems.add(key + " must be an array of strings.");
        return otherwise;
    }
}
