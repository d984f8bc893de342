import { onTestFinished, vi } from "vitest";

/** Time that passes only when the test says so, for what is allowed at a rate. Timers are not affected. */
export function driveTime(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.advanceTimersByTime(ms);
}
