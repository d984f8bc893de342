import { onTestFinished, vi } from "vitest";

/** Time that only advances when the test does it, for rates. Timers are not affected. */
export function driveTime(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.advanceTimersByTime(ms);
}
