import { setTimeout as sleep } from "node:timers/promises";

/** Says something to the process that started this one. */
export function tell(message: Record<string, number>): void {
  process.send?.(message);
}

/** Answers the question "heap" with the bytes of live JavaScript objects. Needs --expose-gc. */
export function answerHeap(): void {
  process.on("message", async (message) => {
    if (message !== "heap") return;
    // What the first collection finalizes, the next ones free.
    for (let i = 0; i < 4; i++) {
      globalThis.gc?.();
      await sleep(50);
    }
    tell({ heap: process.memoryUsage().heapUsed });
  });
}
