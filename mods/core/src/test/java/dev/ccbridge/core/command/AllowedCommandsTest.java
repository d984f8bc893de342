package dev.ccbridge.core.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.json.JsonReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The table of cases that the bridge is tested with too. */
class AllowedCommandsTest {
    private static final Path TABLE = Path.of("../../packages/protocol/fixtures/minecraft/allowed-commands.json");

    private static Map<String, Object> table() throws Exception {
        return Json.asObject(JsonReader.read(Files.readString(TABLE), 1_000_000));
    }

    @TestFactory
    Stream<DynamicTest> cases() throws Exception {
        return ((List<?>) table().get("cases")).stream().map(Json::asObject).map(one ->
                DynamicTest.dynamicTest(one.get("about") + ": " + Json.write(one.get("command")), () -> check(one)));
    }

    private static void check(Map<String, Object> one) throws Exception {
        List<String> patterns = ((List<?>) one.get("patterns")).stream().map(String::valueOf).toList();
        int maxLength = one.get("maxLength") instanceof Double given ? given.intValue() : CommandPatterns.MAX_LENGTH;
        CommandPatterns.Check checked = new CommandPatterns(patterns, maxLength).check((String) one.get("command"));
        assertEquals(one.get("runs"), checked.command());
        assertEquals(one.get("refusal"), checked.refusal());
    }

    @TestFactory
    Stream<DynamicTest> unusablePatterns() throws Exception {
        return ((List<?>) table().get("unusable")).stream().map(String::valueOf).map(pattern ->
                DynamicTest.dynamicTest(pattern, () ->
                        assertThrows(PatternException.class, () -> new CommandPatterns(List.of(pattern), 256))));
    }

    @Test
    void noPatternTakesLong() throws Exception {
        ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
        long started = cpu.getCurrentThreadCpuTime();
        for (String pattern : List.of("(a+)+$", "(a|a)*b", "(a?){100}a{100}", ".*.*.*.*.*.*.*.*x")) {
            CommandPatterns patterns = new CommandPatterns(List.of(pattern), 256);
            for (int round = 0; round < 10; round++) patterns.check("a".repeat(250) + "!");
        }
        assertTrue(cpu.getCurrentThreadCpuTime() - started < 3_000_000_000L);
    }
}
