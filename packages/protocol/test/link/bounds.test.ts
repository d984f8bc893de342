import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeAgentFrame, methods, ScreenSchema } from "../../src/index.js";
import { exceededLimit, outlineOf } from "../../src/json-scan.js";
import {
  frameLengths,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  SHORTEST_FRAME_LENGTH,
} from "../../src/link/bounds.js";

describe("the outline of a JSON text", () => {
  function depthOf(value: unknown): number {
    if (typeof value !== "object" || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depthOf));
  }

  it("has the depth, the type and the id of what parsing gives", () => {
    const json = fc.jsonValue({ maxDepth: 6 });
    const frame = fc.record({ a: json, type: fc.string(), id: fc.string(), z: json });
    fc.assert(
      fc.property(frame, (value) => {
        const text = JSON.stringify(value);
        const outline = outlineOf(text);
        expect(outline.depth).toBe(depthOf(value));
        const written = (field: string) => JSON.stringify(field).slice(1, -1).slice(0, 129);
        expect(outline.type).toBe(written(value.type));
        expect(outline.id).toBe(written(value.id));
      }),
      { numRuns: 500 },
    );
  });

  it("never throws and never takes long, whatever the text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void outlineOf(text)));
    const before = process.cpuUsage();
    for (const piece of ["[", "[],", "\\", '\\"', '"', "1,", '{"a":'])
      outlineOf(piece.repeat(400_000));
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });

  it("ends at the first limit that the text exceeds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 8 }),
        (value, max) => {
          for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
            const items = exceededLimit(text, { items: max, depth: Infinity, values: Infinity });
            expect(items).toBe(value.length > max ? "items" : undefined);
            const depth = exceededLimit(text, { items: Infinity, depth: max, values: Infinity });
            expect(depth).toBe(depthOf(value) > max ? "depth" : undefined);
          }
        },
      ),
    );
  });
});

describe("a frame that is too much", () => {
  const answer = (result: string) => `{"type":"response","id":"r-1","ok":true,"result":${result}}`;

  it.each([
    ["nested too deeply", answer("[".repeat(100_000) + "]".repeat(100_000))],
    ["of too many values", answer(`[${"[],".repeat(MAX_JSON_VALUES)}1]`)],
    ["that is no answer", `{"type":"response","id":"r-1","ok":"maybe"}`],
  ])("%s is refused, and names the request that need not wait any longer", (_, text) => {
    const before = process.cpuUsage();
    expect(decodeAgentFrame(text)).toMatchObject({ ok: false, type: "response", id: "r-1" });
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it("may be as deep as the limit", () => {
    const depth = MAX_JSON_DEPTH - 1;
    expect(decodeAgentFrame(answer("[".repeat(depth) + "]".repeat(depth))).ok).toBe(true);
    expect(decodeAgentFrame(answer("[".repeat(depth + 1) + "]".repeat(depth + 1))).ok).toBe(false);
  });

  it.each(Object.entries(frameLengths).filter(([type]) => type !== "response"))(
    "of type %s is refused above %d characters, unread",
    (type, length) => {
      const text = `{"type":"${type}","x":"${"x".repeat(length)}"}`;
      expect(decodeAgentFrame(text)).toMatchObject({ ok: false, problem: "malformed" });
      const long = `{"type":"${type}","tools":[${"{},".repeat(5_000_000)}1]}`;
      const before = process.cpuUsage();
      decodeAgentFrame(long);
      expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
    },
  );

  it.each(["constructor", "toString", "__proto__"])(
    "of the strange type %s is as short as any",
    (type) => {
      const text = `{"type":"${type}","x":"${"x".repeat(SHORTEST_FRAME_LENGTH)}"}`;
      expect(decodeAgentFrame(text)).toMatchObject({ problem: "malformed" });
    },
  );

  it("cannot hide its type", () => {
    const filler = "x".repeat(300_000);
    for (const text of [
      `{"type":"response","id":"1","x":"${filler}","\\u0074ype":"tools"}`,
      `{"\\u0074ype":"tools","tools":[],"x":"${filler}"}`,
      `{"type":"resp\\u006fnse","id":"1","ok":true,"result":"${filler}"}`,
    ]) {
      expect(decodeAgentFrame(text)).toMatchObject({ ok: false });
    }
  });
});

describe("a hello", () => {
  it("brings only ids that a bridge could have made, and not too many", () => {
    const ids = [
      "ok-1",
      "a b",
      "x\u202e",
      "",
      5,
      ...Array.from({ length: 500 }, (_, i) => `j${i}`),
    ];
    const decoded = decodeAgentFrame(JSON.stringify({ type: "hello", computerId: 1, jobs: ids }));
    if (!decoded.ok || decoded.frame.type !== "hello") throw new Error("not a hello");
    expect(decoded.frame.jobs[0]).toBe("ok-1");
    expect(decoded.frame.jobs[1]).toBe("j0");
    expect(decoded.frame.jobs.length).toBeLessThanOrEqual(128);
  });
});

describe("a screen", () => {
  const screen = (width: number, height: number, more: object = {}) => ({
    width,
    height,
    cursor: { x: 1, y: 1 },
    text: " ".repeat(Math.min(1_000, width * height)),
    ...more,
  });

  it("has exactly width x height cells", () => {
    expect(ScreenSchema.safeParse(screen(10, 2)).success).toBe(true);
    expect(ScreenSchema.safeParse(screen(10, 2, { text: "short" })).success).toBe(false);
    expect(ScreenSchema.safeParse(screen(10, 2, { foreground: "0" })).success).toBe(false);
    expect(ScreenSchema.safeParse(screen(10, 2, { background: "0".repeat(21) })).success).toBe(
      false,
    );
    const encoded = { text: btoa("\u00ff".repeat(20)), encoding: "base64" };
    expect(ScreenSchema.safeParse(screen(10, 2, encoded)).success).toBe(true);
    expect(ScreenSchema.safeParse(screen(10, 3, encoded)).success).toBe(false);
  });

  it.each([
    [9e15, 1],
    [3_000, 3_000],
    [1_024, 1_024],
    [0, 5],
    [1.5, 2],
  ])("of %d x %d is refused", (width, height) => {
    expect(ScreenSchema.safeParse(screen(width, height)).success).toBe(false);
  });
});

it("numbers that a loop would trust are bounded in every page", () => {
  const page = { path: "", total: 1e15, files: 0, bytes: 0, entries: [] };
  expect(methods["list-files"].result.safeParse(page).success).toBe(false);
  expect(methods["list-files"].result.safeParse({ ...page, total: -1 }).success).toBe(false);
  expect(methods["list-files"].result.safeParse({ ...page, total: 3 }).success).toBe(true);
});
