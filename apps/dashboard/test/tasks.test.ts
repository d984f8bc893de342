import type { CallRow } from "@ccbridge/protocol/dashboard";
import { describe, expect, it } from "vitest";
import { tasksOf } from "../src/tasks.js";

let count = 0;

function call(tool: string, more: Partial<CallRow> = {}): CallRow {
  count += 1;
  return {
    id: count,
    at: count * 1_000,
    client: "owner",
    software: "Claude 1.2.3",
    session: "one",
    tool,
    acts: !/^(read|list|get)/.test(tool),
    request: {},
    providers: ["14 (Label: gate)"],
    keys: ["k14"],
    job: null,
    approvedBy: null,
    trace: `t${count}`,
    waits: false,
    outcome: "ok",
    durationMs: 500,
    answer: null,
    bridge: null,
    ...more,
  };
}

const named = (key: string | undefined, fallback: string) => (key === "k14" ? "gate" : fallback);

describe("tasks", () => {
  it("say in one sentence what a client did with several calls", () => {
    const [task, ...others] = tasksOf(
      [
        call("read-file", { request: { path: "/lock.lua" } }),
        call("edit-file", { request: { path: "/lock.lua" } }),
        call("run-program", { request: { command: "lock" } }),
        call("read-screen"),
      ],
      named,
    );
    expect(others).toEqual([]);
    expect(task).toMatchObject({
      who: "Claude",
      sentence: "edited /lock.lua on gate and restarted it",
      failed: 0,
      isOpen: false,
    });
    expect(task?.calls.map(({ tool }) => tool)).toEqual([
      "read-screen",
      "run-program",
      "edit-file",
      "read-file",
    ]);
  });

  it("have the words of what was done, and a dry run is a look", () => {
    const sentence = (...calls: CallRow[]) => tasksOf(calls, named)[0]?.sentence;
    expect(sentence(call("power-computer", { request: { action: "shutdown" } }))).toBe(
      "shut down gate",
    );
    expect(sentence(call("set-position"))).toMatch(/position of gate$/);
    expect(sentence(call("undo-change", { request: { dryRun: true } }))).toBe("looked at gate");
    expect(
      sentence(
        call("undo-change", { request: { dryRun: true } }),
        call("undo-change", { request: { dryRun: false } }),
      ),
    ).toBe("took back changes on gate");
  });

  it("end with a pause, and are one for each session", () => {
    const at = Date.now();
    const calls = [
      call("exec-lua", { at }),
      call("exec-lua", { at: at + 60_000 }),
      call("exec-lua", { at: at + 60_000, session: "two" }),
      call("exec-lua", { at: at + 400_000, outcome: "error" }),
    ];
    const tasks = tasksOf(calls, named);
    expect(tasks.map(({ calls: own, failed }) => [own.length, failed])).toEqual([
      [1, 1],
      [2, 0],
      [1, 0],
    ]);
  });

  it("fold what people type, and what only looks", () => {
    const typed = Array.from({ length: 30 }, () =>
      call("send-input", { software: "dashboard", session: "page", client: "alex" }),
    );
    const looks = [call("list-files", { session: "x" }), call("read-file", { session: "x" })];
    expect(
      tasksOf([...typed, ...looks], named).map(({ who, sentence }) => [who, sentence]),
    ).toEqual([
      ["Claude", "looked at gate"],
      ["alex", "typed on gate"],
    ]);
  });
});
