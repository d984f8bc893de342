import type { PlacedComputerOptions } from "@ccbridge/cc-host";

/** The turtle on which the examples of the tool reference run. */
export const exampleTurtle: PlacedComputerOptions = { id: 12, label: "base-turtle" };

/**
 * One call of every tool, for the tool reference; they run in the order of the tools. A `jobId` is filled
 * in with the first job, or with the first of the method that it names.
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
  "run-program": { computerId: 12, command: "lua" },
  "read-screen": { jobId: "run-program" },
  "type-text": { jobId: "run-program", text: "turtle.getFuelLevel()\n" },
  "press-keys": { jobId: "run-program", keys: ["a", "shift+b", "backspace"] },
  click: { jobId: "run-program", x: 5, y: 2 },
  "send-event": { jobId: "run-program", name: "terminate" },
};
