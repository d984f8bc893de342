import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobRecord, Provider } from "@ccbridge/registry";
import { onTestFinished } from "vitest";
import { openStore, type StoreOptions } from "../src/index.js";
import type { CallRow } from "../src/rows.js";

export const retention = { callDays: 90, eventDays: 10, jobDays: 7, changeDays: 30, maxBytes: 1e9 };

export const provider: Provider = {
  ...{ kind: "computer", key: "computer 1", name: '1 "Miner"' },
  ...{ methods: ["exec-lua"], features: ["jobs"] },
};

export function scratchFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "state", "history.db");
}

export async function open(file: string, options: Partial<StoreOptions> = {}) {
  const store = await openStore({ file, retention, ...options });
  onTestFinished(() => store.close());
  return store;
}

export function jobRecord(id: string, more: Partial<JobRecord> = {}): JobRecord {
  return {
    ...{ id, provider, method: "exec-lua", summary: "print(1)", onFailure: undefined },
    ...{ trace: `trace-${id}`, client: "alice", adopted: false },
    status: { state: "running", linked: true, stopping: undefined },
    ...{ createdAt: 1_000, startedAt: 1_000, endedAt: undefined, stopAt: undefined },
    ...{ note: undefined, isGone: false, isPartial: false, response: undefined, output: undefined },
    ...more,
  };
}

export function call(trace: string, more: Partial<CallRow> = {}): CallRow {
  return {
    table: "calls",
    ...{ trace, time: Date.now(), client: "alice", session: "s1", software: "test 1" },
    ...{
      tool: "write-file",
      acts: true,
      job: null,
      path: "startup.lua",
      subject: "startup.lua",
      outcome: "ok",
    },
    ...{ durationMs: 12, approvedBy: null, args: { path: "startup.lua" }, answer: "Written." },
    targets: [{ key: provider.key, name: provider.name }],
    ...more,
  };
}
