import type { CallRow, JobRow, StoreRow } from "./rows.js";

// Rows as text on their way to the file. Most are of calls and jobs: these are lists of values, without the names of
// their columns, which are a third of the text, and the text is most of what the history costs a call.

type PackedCall = ReturnType<typeof packCall>;
type PackedJob = ReturnType<typeof packJob>;
type Packed = PackedCall | PackedJob | Exclude<StoreRow, CallRow | JobRow>;

export function rowText(row: StoreRow): string {
  if (row.table === "calls") return JSON.stringify(packCall(row));
  return JSON.stringify(row.table === "jobs" ? packJob(row) : row);
}

/** The rows of a batch: a list of their texts. */
export function rowsOf(batch: string): StoreRow[] {
  return (JSON.parse(batch) as Packed[]).map((packed) => {
    if ("table" in packed) return packed;
    return packed[0] === "calls" ? unpackCall(packed) : unpackJob(packed);
  });
}

function packCall(call: CallRow) {
  const { trace, time, client, session, software, tool, acts, job, path, subject } = call;
  const { outcome, durationMs, approvedBy, args, answer, targets } = call;
  return [
    "calls",
    trace,
    time,
    client,
    session,
    software,
    tool,
    acts,
    job,
    path,
    subject,
    outcome,
    durationMs,
    approvedBy,
    args,
    answer,
    targets,
  ] as const;
}

function unpackCall(packed: PackedCall): CallRow {
  const [table, trace, time, client, session, software, tool, acts, job, path, ...more] = packed;
  const [subject, outcome, durationMs, approvedBy, args, answer, targets] = more;
  return {
    ...{ table, trace, time, client, session, software, tool, acts, job, path },
    ...{ subject, outcome, durationMs, approvedBy, args, answer, targets },
  };
}

function packJob({ id, key, client, trace, created, ended, data, payload }: JobRow) {
  return ["jobs", id, key, client, trace, created, ended, data, payload] as const;
}

function unpackJob([table, id, key, client, trace, ...more]: PackedJob): JobRow {
  const [created, ended, data, payload] = more;
  return { table, id, key, client, trace, created, ended, data, payload };
}
