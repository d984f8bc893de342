import { describe, expect, it } from "vitest";
import { readTime, timeText } from "../../src/core/clock.js";

// In the time zone of the machine, like the times that are read.
const now = new Date(2026, 0, 31, 15, 30, 20).getTime();

describe("times as people write them", () => {
  it.each([
    ["now", "2026-01-31 15:30:20"],
    ["15m", "2026-01-31 15:15:20"],
    ["2 hours ago", "2026-01-31 13:30:20"],
    ["3d", "2026-01-28 15:30:20"],
    ["today", "2026-01-31 00:00:00"],
    ["Yesterday", "2026-01-30 00:00:00"],
    ["15:30", "2026-01-31 15:30:00"],
    // Not yet today, so it was yesterday.
    ["22:00", "2026-01-30 22:00:00"],
    ["2026-01-02", "2026-01-02 00:00:00"],
    ["2026-01-02 03:04", "2026-01-02 03:04:00"],
    ["2026-01-02T03:04:05", "2026-01-02 03:04:05"],
  ])("%s", (text, time) => {
    expect(timeText(readTime(text, "start", now))).toBe(time);
  });

  it("a day as an end is its end", () => {
    expect(timeText(readTime("yesterday", "end", now))).toBe("2026-01-30 23:59:59");
    expect(timeText(readTime("2026-01-02", "end", now))).toBe("2026-01-02 23:59:59");
  });

  it("with an offset it is that time everywhere", () => {
    expect(readTime("2026-01-02T03:04:05Z", "start")).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
  });

  it.each(["", "soon", "25", "2026-13-45", "12:3"])("%j is refused, with the forms", (text) => {
    expect(() => readTime(text, "start", now)).toThrow("is not a time");
  });
});
