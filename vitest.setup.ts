import process from "node:process";
import { afterAll, vi } from "vitest";

// As for `expect.poll` in the configuration, where this has no setting: by itself it gives up after a second.
const { waitFor } = vi;
vi.waitFor = (callback, options) =>
  waitFor(callback, {
    timeout: 60_000,
    interval: 20,
    ...(typeof options === "number" ? { timeout: options } : options),
  });

// Files share a worker: the next one must not wait for a clock that does not run.
afterAll(() => {
  vi.useRealTimers();
});

// With a seed, properties try the same values in every run: a change is judged by what it changes.
const seed = process.env.FAST_CHECK_SEED;
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
