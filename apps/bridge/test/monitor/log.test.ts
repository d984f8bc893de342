import { setImmediate as endOfTurn } from "node:timers/promises";
import pino from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LogLines } from "../../src/monitor/log.js";

afterEach(() => vi.useRealTimers());

function openLog() {
  const writes: string[] = [];
  const lines = new LogLines({ write: (text) => writes.push(text) });
  const log = pino({ base: null, timestamp: false }, lines);
  return { writes, lines, log };
}

function messages(write: string | undefined): unknown[] {
  return (write ?? "")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).msg);
}

describe("lines of the log", () => {
  it("are written together, a moment after the first of them", () => {
    vi.useFakeTimers();
    const { writes, log } = openLog();
    log.info("one");
    log.info("two");
    expect(writes).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(writes.map(messages)).toEqual([["one", "two"]]);
    log.info("three");
    vi.advanceTimersByTime(50);
    expect(writes.map(messages)).toEqual([["one", "two"], ["three"]]);
  });

  it("are written at once with a warning, in their order", () => {
    const { writes, log } = openLog();
    log.info("one");
    log.warn("two");
    expect(writes.map(messages)).toEqual([["one", "two"]]);
    log.error("three");
    expect(writes.map(messages)).toEqual([["one", "two"], ["three"]]);
  });

  it("do not wait once they are long", () => {
    const { writes, log } = openLog();
    log.info("x".repeat(16_384));
    expect(writes).toHaveLength(1);
  });

  it("are not written twice, and not empty", async () => {
    const { writes, lines, log } = openLog();
    lines.flush();
    expect(writes).toEqual([]);
    log.info("one");
    lines.flush();
    lines.flush();
    await endOfTurn();
    expect(writes.map(messages)).toEqual([["one"]]);
  });
});
