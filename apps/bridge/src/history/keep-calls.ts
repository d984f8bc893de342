import type { HistoricCall, Registry } from "@ccbridge/registry";
import type { CallRow, Store } from "@ccbridge/store";
import type { Audit } from "../calls/audit/audit.js";
import type { AuditOutcome, CallRecord } from "../calls/audit/record.js";
import { MAX_RECORDS } from "../calls/audit/trail.js";

/** Puts the last calls of earlier processes into the trail, and every call that ends from now on into the store. */
export async function keepCalls(store: Store, audit: Audit): Promise<void> {
  const { entries } = await store.timeline({ what: ["call"], limit: MAX_RECORDS });
  const calls = entries.filter((entry) => entry.what === "call");
  audit.restore(calls.reverse().map(toRecord));
  audit.trail.subscribe((record) => {
    // A view that looks again and again is no call that a reader wants to find.
    const isLook = record.polls !== undefined && record.outcome === "ok";
    const { outcome } = record;
    if (outcome !== undefined && !isLook) store.addCall(() => toRow(record, outcome));
  });
}

/** Writes down who is linked when. */
export function keepLinks(store: Store, { changes }: Registry): void {
  changes.subscribe(
    (change) => {
      if (change.topic === "linked" && change.again) return;
      const { provider, topic } = change;
      if (provider.scope !== undefined) return;
      const reason = topic === "unlinked" ? change.reason : null;
      store.addLink(provider, { what: topic, reason });
    },
    { topics: ["linked", "unlinked"] },
  );
}

export function toRow(record: CallRecord, outcome: AuditOutcome): Omit<CallRow, "table"> {
  const { request, keys, providers } = record;
  const paths = textsOf(request, PATHS);
  return {
    trace: record.trace,
    time: record.at,
    client: record.client,
    session: record.session,
    software: record.software ?? null,
    tool: record.tool,
    acts: record.acts,
    job: record.job ?? null,
    path: paths.length === 0 ? null : paths.join("\n"),
    subject: textsOf(request, SUBJECTS)[0]?.slice(0, MAX_SUBJECT) ?? null,
    outcome,
    durationMs: record.durationMs ?? 0,
    approvedBy: record.approvedBy ?? null,
    args: JSON.stringify(request),
    answer: record.answer ?? "",
    targets: keys.map((key, index) => ({ key, name: providers[index] ?? key })),
  };
}

const PATHS = ["path", "from", "to", "computerPath"];

/** The arguments that say best what a call was about, the first of them first. */
const SUBJECTS = ["item", "path", "to", "computerPath", "command", "action", "name", "label"];
const MAX_SUBJECT = 200;

function textsOf(request: CallRecord["request"], names: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const name of names) {
    const value = request[name];
    if (typeof value === "string") texts.push(value);
  }
  return texts;
}

function toRecord(call: HistoricCall): CallRecord {
  const { trace, time, client, session, tool, acts, args, targets, durationMs } = call;
  return {
    ...{ id: call.id, trace, at: time, client, session, tool, acts, durationMs, request: args },
    software: call.software ?? undefined,
    polls: undefined,
    providers: targets.map(({ name }) => name),
    keys: targets.map(({ key }) => key),
    notFound: undefined,
    job: call.job ?? undefined,
    approvedBy: call.approvedBy ?? undefined,
    waits: false,
    outcome: call.outcome as AuditOutcome,
    answer: call.answer === "" ? undefined : call.answer,
  };
}
