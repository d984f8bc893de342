import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Deadline, Deadlines } from "../src/deadlines.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("deadlines", () => {
  it("happen at their time, once, unless called off, on one timer for each length", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), n: fc.constantFrom(50, 100, 1_000) }),
      fc.record({ kind: fc.constant("off" as const), n: fc.nat(100) }),
      fc.record({ kind: fc.constant("pass" as const), n: fc.nat(300) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        vi.clearAllTimers();
        const deadlines = new Deadlines();
        const set: { deadline: Deadline; due: number; happened: number[]; off: boolean }[] = [];
        for (const { kind, n } of steps) {
          if (kind === "set") {
            const happened: number[] = [];
            const deadline = deadlines.set(n, () => happened.push(performance.now()));
            set.push({ deadline, due: performance.now() + n, happened, off: false });
          } else if (kind === "off") {
            const entry = set[n % Math.max(1, set.length)];
            if (entry === undefined) continue;
            if (entry.happened.length === 0) entry.off = true;
            deadlines.cancel(entry.deadline);
          } else {
            vi.advanceTimersByTime(n);
          }
          expect(vi.getTimerCount()).toBeLessThanOrEqual(3);
        }
        vi.advanceTimersByTime(2_000);
        for (const { due, happened, off } of set) {
          expect(happened.length).toBe(off ? 0 : 1);
          for (const at of happened) {
            expect(at).toBeGreaterThanOrEqual(due - 1);
            expect(at).toBeLessThanOrEqual(due + 2);
          }
        }
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });

  it("do not pile up when they are called off while others wait", () => {
    const deadlines = new Deadlines();
    const waiting = deadlines.set(1_000, () => {});
    for (let i = 0; i < 10_000; i++) deadlines.cancel(deadlines.set(1_000, () => {}));
    expect(waiting.lane.items.length).toBeLessThan(1_000);
  });

  it("that come one by one share a timer, as long as few lengths are in use", () => {
    const deadlines = new Deadlines();
    const timers = vi.spyOn(globalThis, "setTimeout");
    for (let i = 0; i < 1_000; i++) deadlines.cancel(deadlines.set(1_000, () => {}));
    expect(timers).toHaveBeenCalledTimes(1);
    timers.mockRestore();
    for (let ms = 1; ms <= 10_000; ms++) deadlines.cancel(deadlines.set(ms, () => {}));
    expect(vi.getTimerCount()).toBeLessThan(100);
    vi.advanceTimersByTime(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are over at the end, and leave no timer", () => {
    const deadlines = new Deadlines();
    const happened: string[] = [];
    deadlines.cancel(deadlines.set(10, () => happened.push("called off")));
    deadlines.set(10, () => happened.push("short"));
    deadlines.set(1_000, () => happened.push("long"));
    deadlines.close();
    expect(happened).toEqual(["short", "long"]);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(2_000);
    expect(happened).toHaveLength(2);
  });

  it("fire in time after one that sets another", () => {
    const deadlines = new Deadlines();
    const happened: number[] = [];
    const start = performance.now();
    deadlines.set(10, () => {
      deadlines.set(10, () => {});
    });
    vi.advanceTimersByTime(5);
    deadlines.set(10, () => happened.push(performance.now() - start));
    vi.advanceTimersByTime(50);
    expect(happened[0]).toBeLessThanOrEqual(16);
  });

  it("may set and call off others when they happen", () => {
    const deadlines = new Deadlines();
    const happened: string[] = [];
    deadlines.set(10, () => {
      happened.push("first");
      deadlines.cancel(second);
      deadlines.set(10, () => happened.push("third"));
    });
    const second = deadlines.set(10, () => happened.push("second"));
    vi.advanceTimersByTime(50);
    expect(happened).toEqual(["first", "third"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
