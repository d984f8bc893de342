package dev.ccbridge.core.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class JsonProperties {
    @Property(tries = 500)
    void readsWhatItWrites(@ForAll("values") Object value) throws Exception {
        assertEquals(value, JsonReader.read(Json.write(value), 10_000_000));
    }

    @Property(tries = 500)
    void refusesGarbageWithItsOwnException(@ForAll String text) {
        try {
            JsonReader.read(text, 1_000);
        } catch (JsonException expected) {
            assertEquals(true, expected.getMessage().length() < 200);
        }
    }

    @Property(tries = 300)
    void refusesWhatIsCutOff(@ForAll("values") Object value, @ForAll double share) throws Exception {
        String text = Json.write(List.of(value == null ? "null" : value));
        String cut = text.substring(0, (int) (Math.abs(share % 1) * (text.length() - 1)));
        assertThrows(JsonException.class, () -> JsonReader.read(cut, 10_000_000));
    }

    @Example
    void isAsStrictAsJavaScript() {
        for (String text : List.of(
                "", " ", "01", "+1", "1.", ".5", "1e", "- 1", "0x1", "NaN", "Infinity", "nul", "truex", "\"\n\"", "\"\\x41\"", "\"\\u12g4\"", "'a'",
                "{a:1}", "{\"a\":1,}", "[1,]", "[1 2]", "{\"a\" 1}", "1 2", "\u00a01", "[", "{", "\"", "]", "\0", "\"\\u\u0661111\"")) {
            assertThrows(JsonException.class, () -> JsonReader.read(text, 100), text);
        }
    }

    @Example
    void boundsDepthAndLength() throws Exception {
        JsonReader.read("[".repeat(64) + "]".repeat(64), 1_000);
        assertThrows(JsonException.class, () -> JsonReader.read("[".repeat(65) + "]".repeat(65), 1_000));
        assertThrows(JsonException.class, () -> JsonReader.read("{\"a\":".repeat(100_000), 1_000_000));
        assertThrows(JsonException.class, () -> JsonReader.read("          1", 10));
    }

    @Example
    void writesWholeNumbersAndHalfPairsAsJavaScriptDoes() {
        assertEquals("[1,-3.25,1700000000000,0,null]", Json.write(List.of(1.0, -3.25, 1.7e12, -0.0, Double.NaN)));
        assertEquals("\"\\ud800x\"", Json.write("\ud800x"));
        assertEquals("\"\uD83D\uDE00\"", Json.write("\uD83D\uDE00"));
    }

    @Provide
    Arbitrary<Object> values() {
        return value(3);
    }

    private static Arbitrary<Object> value(int depth) {
        Arbitrary<Object> plain = Arbitraries.oneOf(
                Arbitraries.strings().map(text -> text),
                Arbitraries.doubles().filter(number -> number != 0).map(number -> number),
                Arbitraries.integers().map(number -> (Object) number.doubleValue()),
                Arbitraries.of(true, false).map(flag -> flag));
        if (depth == 0) return plain;
        Arbitrary<Object> list = value(depth - 1).list().ofMaxSize(4).map(ArrayList::new);
        Arbitrary<Object> map = Arbitraries.maps(Arbitraries.strings().ofMaxLength(5), value(depth - 1)).ofMaxSize(4).map(Map::copyOf);
        return Arbitraries.oneOf(plain, list, map);
    }
}
