import process from "node:process";
import { afterAll, vi } from "vitest";

// What tests start writes plain text: many programs colour theirs where CI or FORCE_COLOR is set, and what a test waits
// for would never come.
delete process.env.FORCE_COLOR;
process.env.NO_COLOR = "1";

// Like `expect.poll` in the configuration, for which there is no setting here: the default is one
// second.
const { waitFor } = vi;
vi.waitFor = (callback, options) =>
  waitFor(callback, {
    timeout: 60_000,
    interval: 20,
    ...(typeof options === "number" ? { timeout: options } : options),
  });

// Files share a worker: the next one must not run with a fake clock.
afterAll(() => {
  vi.useRealTimers();
});

// With a seed, properties try the same values in every run, so that results are comparable.
const seed = process.env.FAST_CHECK_SEED;
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
