import { join } from "node:path";
import { openStore } from "@ccbridge/store";
import { scratchDirectory } from "../helpers/scratch.js";

const DAY_MS = 86_400_000;
const retention = { callDays: 90, eventDays: 10, jobDays: 7, changeDays: 30, maxBytes: 1e9 };

/** A history file with a call in each hour of the last weeks, by two clients in turn. */
export async function weeksOfCalls(hours: number): Promise<string> {
  const file = join(scratchDirectory(), "history.db");
  const store = await openStore({ file, retention });
  const now = Date.now();
  for (let hour = hours; hour >= 1; hour--) {
    const client = hour % 2 === 0 ? "ann" : "bob";
    const path = `notes-${hour}.txt`;
    store.addCall({
      table: "calls",
      ...{ trace: `trace-${hour}`, time: now - (hour * DAY_MS) / 24, client, session: "s1" },
      ...{
        software: "test",
        tool: hour % 3 === 0 ? "read-file" : "write-file",
        acts: hour % 3 > 0,
      },
      ...{ job: null, path, subject: path, outcome: hour % 5 === 0 ? "error" : "ok" },
      ...{ durationMs: 3, approvedBy: null, args: { path }, answer: `did ${hour}` },
      targets: [{ key: `computer:${hour % 2}`, name: `computer ${hour % 2}` }],
    });
  }
  await store.close();
  return file;
}
