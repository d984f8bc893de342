import type { HistoricCall, ProviderChange, Registry } from "@ccbridge/registry";
import type { CallRow, LinkRow, Store } from "@ccbridge/store";
import type { Audit } from "../calls/audit/audit.js";
import type { AuditOutcome, CallRecord } from "../calls/audit/record.js";
import { MAX_RECORDS } from "../calls/audit/trail.js";

/** Puts the last calls of earlier processes into the trail, and every call that ends from now on into the store. */
export async function keepCalls(store: Store, audit: Audit): Promise<void> {
  const { entries } = await store.timeline({ what: ["call"], limit: MAX_RECORDS });
  const calls = entries.filter((entry) => entry.what === "call");
  audit.restore(calls.reverse().map(toRecord));
  audit.trail.subscribe((record) => {
    const { outcome } = record;
    if (outcome !== undefined && !isLook(record)) store.addCall(toRow(record, outcome));
  });
}

/** A view that looks again and again is no call that a reader wants to find. */
function isLook({ polls, outcome }: CallRecord): boolean {
  return polls !== undefined && outcome === "ok";
}

/** What is kept of a call, once it has ended. */
export function rowOfEnded(record: CallRecord): CallRow | undefined {
  const { outcome } = record;
  return outcome === undefined || isLook(record) ? undefined : toRow(record, outcome);
}

/** Writes down who is linked when. */
export function keepLinks(store: Store, { changes }: Registry): void {
  changes.subscribe(
    (change) => {
      const row = linkRowOf(change);
      if (row !== undefined) store.addLink(change.provider, row);
    },
    { topics: ["linked", "unlinked"] },
  );
}

/** What is kept of a link that was made or ended; undefined when nothing is. */
export function linkRowOf(
  change: ChangeOf<"linked" | "unlinked">,
): Pick<LinkRow, "what" | "reason"> | undefined {
  if (change.topic === "linked" && change.again) return undefined;
  const { provider, topic } = change;
  if (provider.scope !== undefined) return undefined;
  return { what: topic, reason: change.topic === "unlinked" ? change.reason : null };
}

type ChangeOf<Topic> = Extract<ProviderChange, { topic: Topic }>;

export function toRow(record: CallRecord, outcome: AuditOutcome): CallRow {
  const { request, keys, providers } = record;
  const paths = textsOf(request, PATHS);
  return {
    table: "calls",
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
    args: request,
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
