package dev.ccbridge.core.command;

import java.util.function.IntPredicate;

/** JavaScript's character classes, because patterns must mean the same on the bridge. */
final class CharClasses {
    private CharClasses() {}

    static boolean isWord(int c) {
        return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    static boolean isLineEnd(int c) {
        return c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029;
    }

    private static boolean isSpace(int c) {
        return c >= 0x09 && c <= 0x0d || c == ' ' || c == 0xa0 || c == 0x1680 || c >= 0x2000 && c <= 0x200a
                || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
    }

    /** The class of {@code \d}, {@code \w} and the like; null for other letters. */
    static IntPredicate named(char letter) {
        switch (letter) {
            case 'd':
                return c -> c >= '0' && c <= '9';
            case 'D':
                return c -> c < '0' || c > '9';
            case 'w':
                return CharClasses::isWord;
            case 'W':
                return c -> !isWord(c);
            case 's':
                return CharClasses::isSpace;
            case 'S':
                return c -> !isSpace(c);
            default:
                return null;
        }
    }

    /** The character of {@code \n}, {@code \t} and the like; -1 for other letters. */
    static int control(char letter) {
        switch (letter) {
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'f':
                return '\f';
            case 'v':
                return 0x0b;
            default:
                return -1;
        }
    }
}
