import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clockText, dayText, durationText } from "../src/parts/time.js";

const now = new Date(2026, 10, 18, 14, 5, 9);
const at = (...parts: [number, number, number, number, number, number]) =>
  new Date(...parts).getTime();

describe("times as people write them", () => {
  beforeEach(() => void vi.useFakeTimers({ now }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    [0, "0 s"],
    [-5, "0 s"],
    [440, "0.4 s"],
    [9_949, "9.9 s"],
    [12_900, "12 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_599_999, "59 min"],
    [7_200_000, "2 h"],
    [7_800_000, "2 h 10 min"],
    [86_400_000, "1 day"],
    [3 * 86_400_000, "3 days"],
  ])("%d ms is %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it.each([
    [at(2026, 10, 18, 9, 3, 7), "09:03:07", "Today"],
    [at(2026, 10, 17, 23, 59, 0), "yesterday 23:59", "Yesterday"],
    [at(2026, 10, 19, 0, 30, 0), "tomorrow 00:30", "19 Nov 2026"],
    [at(2026, 2, 3, 8, 0, 0), "3 Mar 08:00", "3 Mar 2026"],
    [at(2025, 11, 31, 8, 0, 0), "31 Dec 2025 08:00", "31 Dec 2025"],
  ])("%d is in one format of the clock", (time, clock, day) => {
    expect(clockText(time)).toBe(clock);
    expect(dayText(time)).toBe(day);
  });
});
