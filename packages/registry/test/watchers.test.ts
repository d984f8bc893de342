import { decodeText, type Screen, type ScreenFrame, ScreenSchema } from "@ccbridge/protocol";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { applyScreenFrame } from "../src/kinds/computer/watches.js";
import { poll, TooManyWatchersError, Watchers } from "../src/watchers.js";

describe("watchers", () => {
  function begin() {
    const stop = vi.fn();
    let tell: (value: string) => void = () => {};
    const start = vi.fn((own: (value: string) => void) => {
      tell = own;
      return stop;
    });
    return { start, stop, tell: (value: string) => tell(value) };
  }

  it("look once, however many listen, and end with the last listener", () => {
    const watchers = new Watchers<string>(2);
    const { start, stop, tell } = begin();
    const heard: string[] = [];
    const first = watchers.watch("a", start, (value) => heard.push(`1 ${value}`));
    tell("x");
    const second = watchers.watch("a", start, (value) => heard.push(`2 ${value}`));
    tell("x");
    tell("y");
    expect(heard).toEqual(["1 x", "2 x", "1 y", "2 y"]);
    first();
    first();
    expect(stop).not.toHaveBeenCalled();
    second();
    expect([start.mock.calls.length, stop.mock.calls.length, watchers.size]).toEqual([1, 1, 0]);
    tell("z");
    expect(heard).toHaveLength(4);
  });

  it("begin again for a listener that comes after the last, without an old state", () => {
    const watchers = new Watchers<string>(2);
    const { start, tell } = begin();
    watchers.watch("a", start, () => {})();
    const heard: string[] = [];
    watchers.watch("a", start, (value) => heard.push(value));
    expect([start.mock.calls.length, heard]).toEqual([2, []]);
    tell("x");
    expect(heard).toEqual(["x"]);
  });

  it("continue for a while for a listener that returns, with the newest state", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const watchers = new Watchers<string>(2);
    const { start, stop, tell } = begin();
    const heard: string[] = [];
    const listen = () =>
      watchers.watch("a", start, (value) => heard.push(value), { lingerMs: 1_000 });
    const first = listen();
    tell("x");
    first();
    tell("y");
    vi.advanceTimersByTime(900);
    const second = listen();
    vi.advanceTimersByTime(5_000);
    expect([heard, start.mock.calls.length, stop.mock.calls.length]).toEqual([["x", "y"], 1, 0]);
    second();
    vi.advanceTimersByTime(1_000);
    expect([stop.mock.calls.length, watchers.size]).toEqual([1, 0]);
  });

  it("without listeners make room for others", () => {
    const watchers = new Watchers<string>(1);
    const { start, stop } = begin();
    watchers.watch("a", start, () => {}, { lingerMs: 60_000 })();
    watchers.watch("b", start, () => {});
    expect([stop.mock.calls.length, watchers.size]).toEqual([1, 1]);
  });

  it("are bounded", () => {
    const watchers = new Watchers<string>(1);
    const { start } = begin();
    watchers.watch("a", start, () => {});
    watchers.watch("a", start, () => {});
    expect(() => watchers.watch("b", start, () => {})).toThrow(TooManyWatchersError);
  });

  it("poll one look at a time, and stop", async () => {
    vi.useFakeTimers();
    let finish = () => {};
    const look = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const stop = poll(look, 100);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(look).toHaveBeenCalledTimes(1);
    finish();
    await vi.advanceTimersByTimeAsync(100);
    expect(look).toHaveBeenCalledTimes(2);
    stop();
    finish();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(look).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });
});

describe("a screen that is pushed", () => {
  const [width, height] = [4, 3];
  const cells = fc
    .array(fc.integer({ min: 0, max: 255 }), { minLength: width, maxLength: width })
    .map((codes) => String.fromCharCode(...codes));
  const digits = fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: width, maxLength: width })
    .map((each) => each.join(""));
  const row = fc.record({
    y: fc.integer({ min: 1, max: height }),
    text: cells.map((text) => btoa(text)),
    encoding: fc.constant("base64" as const),
    foreground: digits,
    background: digits,
  });
  const blank: Screen = {
    width,
    height,
    cursor: { x: 1, y: 1, blink: false },
    colour: true,
    text: " ".repeat(width * height),
    foreground: "0".repeat(width * height),
    background: "f".repeat(width * height),
  };

  it("is complete after any rows, as if each had been drawn", () => {
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 3 }), { maxLength: 5 }), (frames) => {
        const drawn = Array.from({ length: height }, () => " ".repeat(width));
        let screen: Screen | undefined = blank;
        for (const [index, rows] of frames.entries()) {
          const cursor = { x: index, y: 1, blink: true };
          screen = applyScreenFrame(screen, { type: "screen", rows, cursor });
          for (const { y, text } of rows) drawn[y - 1] = atob(text);
        }
        expect(ScreenSchema.safeParse(screen).success).toBe(true);
        expect(decodeText(screen?.text ?? "", screen?.encoding)).toBe(drawn.join(""));
      }),
    );
  });

  it("is plain again when the last unusual character is gone", () => {
    const colours = { foreground: "0000", background: "ffff" };
    const odd = [{ y: 1, text: btoa("\u0000\u0001ab"), encoding: "base64" as const, ...colours }];
    const plain = [{ y: 1, text: "a/++", ...colours }];
    const first = applyScreenFrame(blank, { type: "screen", rows: odd });
    expect(first?.encoding).toBe("base64");
    const second = applyScreenFrame(first, { type: "screen", rows: plain });
    expect(second).toMatchObject({ text: "a/++        " });
    expect(second).not.toHaveProperty("encoding");
  });

  it("is asked for again when rows do not fit it", () => {
    const rows = [{ y: 1, text: "abc", foreground: "000", background: "fff" }];
    const frame: ScreenFrame = { type: "screen", rows };
    expect(applyScreenFrame(undefined, frame)).toBeUndefined();
    expect(applyScreenFrame(blank, frame)).toBeUndefined();
    const below = [{ y: 4, text: "abcd", foreground: "0000", background: "ffff" }];
    expect(applyScreenFrame(blank, { type: "screen", rows: below })).toBeUndefined();
  });
});
