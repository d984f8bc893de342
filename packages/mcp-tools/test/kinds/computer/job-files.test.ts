import type { Provider } from "@ccbridge/registry";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { JobChange } from "../../../src/core/undo.js";
import { collectJobFiles } from "../../../src/kinds/computer/undo/job-files.js";

const WRITTEN = 1_000_000;

const provider = {
  ...{ kind: "computer", key: "computer 1", name: "computer 1", methods: ["kept-files"] },
  ...{ features: [], computerId: 1, computerLabel: null },
} as unknown as Provider;

/** When a file was written that a computer kept at WRITTEN by its clock, 5 ms before it was asked. */
async function timeOf({ ahead, toMs, fromMs }: { ahead: number; toMs: number; fromMs: number }) {
  const file = { id: "1", job: "a", path: "/log", time: WRITTEN, absent: true };
  vi.setSystemTime(WRITTEN + ahead + 5);
  const saved: JobChange[] = [];
  await collectJobFiles(
    {
      provider,
      async request(_: string, { forget }: { forget: readonly string[] }) {
        await vi.advanceTimersByTimeAsync(toMs);
        const now = Date.now() - ahead;
        await vi.advanceTimersByTimeAsync(fromMs);
        const files = forget.length > 0 ? [] : [file];
        return { ok: true, result: { files, now } };
      },
    } as unknown as Parameters<typeof collectJobFiles>[0],
    async (changes) => void saved.push(...changes),
  );
  return saved[0]?.time;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("is not moved past later changes by an answer that takes long", async () => {
  expect(await timeOf({ ahead: 0, toMs: 2, fromMs: 4_000 })).toBe(WRITTEN);
  expect(await timeOf({ ahead: 0, toMs: 4_000, fromMs: 2 })).toBe(WRITTEN);
});

it("has the time of this clock where the two differ by more than an answer takes", async () => {
  for (const ahead of [-90_000, 90_000]) {
    const time = (await timeOf({ ahead, toMs: 20, fromMs: 30 })) ?? 0;
    expect(Math.abs(time - (WRITTEN + ahead))).toBeLessThanOrEqual(50);
  }
});
