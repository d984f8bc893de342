import type { PlacedComputerOptions } from "@ccbridge/cc-host";

/** The turtle on which the examples of the tool reference run. */
export const exampleTurtle: PlacedComputerOptions = { id: 12, label: "base-turtle" };

/**
 * One call of every tool, for the tool reference; they run in the order of the tools. A `jobId` is filled
 * in with the first job.
 */
export const examples: Record<string, Record<string, unknown>> = {
  "list-computers": {},
  "probe-computers": {},
  "exec-lua": {
    computerId: 12,
    code: 'print("fuel:", turtle.getFuelLevel()) return turtle.detect()',
  },
  "get-job": { jobId: "", cursor: 0 },
  "cancel-job": { jobId: "" },
  "list-jobs": { state: "done" },
  "watch-events": {
    computerId: 12,
    events: ["redstone", { name: "chat", filter: { "1": "Steve" } }],
  },
  "get-events": { computerId: 12, cursor: 0, limit: 10 },
  "wait-for-event": { computerId: 12, name: "redstone", waitMs: 100 },
};
