import type { Registry } from "@ccbridge/registry";
import type { Store, StoredCall } from "@ccbridge/store";
import type { Audit } from "../calls/audit/audit.js";
import type { AuditOutcome, CallRecord } from "../calls/audit/record.js";
import { MAX_RECORDS } from "../calls/audit/trail.js";

/** Puts the last calls of earlier processes into the trail, and every call that ends from now on into the store. */
export async function keepCalls(store: Store, audit: Audit): Promise<void> {
  const { calls } = await store.calls({ limit: MAX_RECORDS });
  audit.restore([...calls].reverse().map(toRecord));
  audit.trail.subscribe((record) => {
    // A view that looks again and again is no call that a reader wants to find.
    const isLook = record.polls !== undefined && record.outcome === "ok";
    if (record.outcome !== undefined && !isLook) store.addCall(toRow(record, record.outcome));
  });
}

/** Writes down who is linked when. */
export function keepLinks(store: Store, { changes }: Registry): void {
  changes.subscribe(
    (change) => {
      if (change.topic === "linked" && change.again) return;
      const { key, name, scope } = change.provider;
      if (scope !== undefined) return;
      const reason = change.topic === "unlinked" ? change.reason : null;
      store.addLink({ time: Date.now(), key, name, what: change.topic, reason });
    },
    { topics: ["linked", "unlinked"] },
  );
}

function toRow(record: CallRecord, outcome: AuditOutcome) {
  const { trace, client, session, software, tool, acts, job, request, keys, providers } = record;
  const path = request.path ?? request.from;
  return {
    ...{ trace, client, session, tool, acts, outcome },
    time: record.at,
    software: software ?? null,
    job: job ?? null,
    path: typeof path === "string" ? path : null,
    durationMs: record.durationMs ?? 0,
    approvedBy: record.approvedBy ?? null,
    args: JSON.stringify(request),
    answer: record.answer ?? "",
    targets: keys.map((key, index) => ({ key, name: providers[index] ?? key })),
  };
}

function toRecord(call: StoredCall): CallRecord {
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
