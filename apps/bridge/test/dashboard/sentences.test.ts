import { annotationsOf, tools } from "@ccbridge/mcp-tools";
import type { CallRow } from "@ccbridge/protocol/dashboard";
import { expect, it } from "vitest";
import { tasksOf } from "../../../dashboard/src/tasks.js";

const managing = [
  ...["decide", "pair", "grant", "create-token", "revoke-token", "revoke-permission"],
  ...["end-session", "remove-alert", "change-setting", "revoke-approval", "forget-history"],
];

it("each tool that does something has a verb in the sentences of tasks", () => {
  const names = tools
    .filter((tool) => annotationsOf(tool).readOnlyHint !== true)
    .map(({ name }) => name);
  expect(names.length).toBeGreaterThan(20);
  const without = [...names, ...managing].filter((tool) => {
    const call: CallRow = {
      ...{ id: 1, at: 1, client: "ann", software: "test", session: "s", tool, acts: true },
      ...{
        request: { name: "sort" },
        providers: ["gate"],
        keys: ["k"],
        job: null,
        approvedBy: null,
      },
      ...{ trace: "t", waits: false, durationMs: 1, answer: null, bridge: null },
      outcome: "ok",
    };
    const [task] = tasksOf([call], () => "gate");
    return task?.sentence.startsWith(`used ${tool}`);
  });
  expect(without).toEqual([]);
});
