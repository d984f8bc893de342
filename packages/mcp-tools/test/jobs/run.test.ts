import { expect, it, vi } from "vitest";
import { reportProgress } from "../../src/jobs/run.js";

it("reports no more progress of a job that cannot be read any more, and nothing else ends with it", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const read = vi.fn(() => Promise.reject(new Error("its bridge is gone")));
  reportProgress({ read } as never, { id: "1", cursor: 0 }, () => {});
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", unhandled);
  expect(read).toHaveBeenCalledTimes(1);
  expect(unhandled).not.toHaveBeenCalled();
});
