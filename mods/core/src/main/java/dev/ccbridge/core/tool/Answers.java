package dev.ccbridge.core.tool;

import dev.ccbridge.core.game.Said;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.wire.ErrorCode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Interprets the output of commands. */
final class Answers {
    /** Longer output is truncated. */
    private static final int MAX_ANSWER = 60_000;
    private static final int MAX_REASON = 1_000;
    private static final Pattern COLOUR = Pattern.compile("\u00a7.");

    /** Output that means failure. Words only: punctuation differs between versions. */
    private static final Map<Pattern, ErrorCode> FAILURES = new LinkedHashMap<>();

    static {
        failure("^No (?:player|entity) was found", ErrorCode.PLAYER_NOT_FOUND);
        failure("^That player (?:cannot be found|does not exist)", ErrorCode.PLAYER_NOT_FOUND);
        failure("^(?:Error: )?Player not found", ErrorCode.PLAYER_NOT_FOUND);
        failure("^Unknown or incomplete command|^Unknown command", ErrorCode.INVALID_COMMAND);
        failure("^Incorrect argument for command", ErrorCode.INVALID_COMMAND);
        failure("^Unknown (?:item|block|entity|effect|enchantment|dimension|world)", ErrorCode.INVALID_ARGS);
        failure("^(?:Integer|Long|Float|Double) must (?:not )?be", ErrorCode.INVALID_ARGS);
        failure("^Invalid position|^Can't give more than|^That position is (?:not loaded|out of)", ErrorCode.INVALID_ARGS);
        failure("^Error executing|^An unexpected error occurred|^An internal error occurred", ErrorCode.SERVER_ERROR);
        failure("<--\\[HERE\\]\\s*$", ErrorCode.INVALID_COMMAND);
    }

    private Answers() {}

    private static void failure(String pattern, ErrorCode code) {
        FAILURES.put(Pattern.compile(pattern, Pattern.CASE_INSENSITIVE), code);
    }

    static String plain(Said said) {
        return COLOUR.matcher(said.text()).replaceAll("").trim();
    }

    /** Why the game refused a command; null when its output is not a known refusal. */
    static RequestException failureOf(Said said) {
        String text = plain(said);
        for (Map.Entry<Pattern, ErrorCode> entry : FAILURES.entrySet()) {
            if (entry.getKey().matcher(text).find()) return new RequestException(entry.getValue(), cut(text, MAX_REASON));
        }
        return null;
    }

    /** Why a command failed, as far as the game reports it. */
    static RequestException unexpected(Said said) {
        RequestException failure = failureOf(said);
        if (failure != null) return failure;
        String text = plain(said);
        return new RequestException(ErrorCode.SERVER_ERROR, text.isEmpty() ? "The server said nothing." : cut(text, MAX_REASON));
    }

    /** The result of any command: if the game reports no success or failure, its output decides. */
    static Map<String, Object> anyCommand(Said said) {
        RequestException failure = Boolean.FALSE.equals(said.success()) ? unexpected(said) : failureOf(said);
        if (Boolean.TRUE.equals(said.success())) failure = null;
        if (failure != null) throw failure;
        return done(said);
    }

    /** The result of a command whose success message begins with a known word. */
    static Map<String, Object> ownCommand(Said said, String successWord) {
        boolean good = said.success() == null ? plain(said).startsWith(successWord) : said.success();
        if (!good) throw unexpected(said);
        return done(said);
    }

    private static Map<String, Object> done(Said said) {
        String text = plain(said);
        if (text.length() > MAX_ANSWER) text = cut(text, MAX_ANSWER) + "\n[... cut at " + MAX_ANSWER + " characters]";
        return text.isEmpty() ? Json.object("success", true) : Json.object("success", true, "message", text);
    }

    static RequestException notOnline(String player) {
        return new RequestException(ErrorCode.PLAYER_NOT_FOUND, player + " is not online.", Json.object("player", player));
    }

    /** With a decimal point and without an exponent: the game moves whole coordinates by half a block. */
    static String decimal(double value) {
        String text = BigDecimal.valueOf(value).setScale(6, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString();
        return text.contains(".") ? text : text + ".0";
    }

    private static String cut(String text, int max) {
        return text.length() > max ? text.substring(0, max) : text;
    }
}
