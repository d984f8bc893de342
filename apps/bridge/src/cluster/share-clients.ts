import type { Cluster, Operations } from "@ccbridge/cluster";
import type { CallRow, SessionRow } from "@ccbridge/protocol/dashboard";
import type { Audit } from "../calls/audit/audit.js";
import type { CallRecord } from "../calls/audit/record.js";
import { callRow } from "../dashboard/context/call-row.js";
import type { ClientsElsewhere, Elsewhere } from "../dashboard/context/services.js";
import { sessionRows } from "../dashboard/context/session-rows.js";
import type { NamedSessions } from "../mcp/sessions/named-sessions.js";

const ASK_MS = 1_500;
const END_MS = 5_000;
/** All pages of this bridge ask the others together. */
const FRESH_MS = 500;
const MAX_SESSIONS = 1_000;
const MAX_CALLS = 200;
/** How long ago a call may have ended that pages still show as news. They look each second. */
const ENDED_MS = 5_000;

interface Sources {
  readonly audit: Audit;
  clean<T>(value: T): T;
}

/** What the dashboards of all bridges show of the clients of each. Bridges are asked while a page shows it. */
export class SharedClients implements ClientsElsewhere {
  readonly #cluster: Cluster;
  readonly #sources: Sources;
  readonly #asked = new Map<string, { at: number; answer: Promise<Elsewhere<never>> }>();
  /** Once this bridge listens. */
  own: NamedSessions | undefined;

  constructor(cluster: Cluster, sources: Sources) {
    this.#cluster = cluster;
    this.#sources = sources;
  }

  readonly operations: Operations = {
    "clients.sessions": () =>
      this.own === undefined
        ? []
        : sessionRows(this.own, this.#sources.audit).slice(0, MAX_SESSIONS),
    "clients.end": ({ id }: { id: string }) => this.own?.end(id) ?? false,
    "clients.calls": () => this.#lastCalls(),
  };

  sessions(): Promise<Elsewhere<SessionRow>> {
    return this.#ask("clients.sessions");
  }

  calls(): Promise<Elsewhere<CallRow>> {
    return this.#ask("clients.calls");
  }

  async end(id: string): Promise<boolean | undefined> {
    const cluster = this.#cluster;
    const answers = await Promise.all(
      cluster.directory
        .others()
        .map((bridge) => cluster.ask(bridge, "clients.end", { id }, END_MS)),
    );
    if (answers.includes(true)) return true;
    return answers.includes(undefined) ? undefined : false;
  }

  #lastCalls(): CallRow[] {
    const since = Date.now() - ENDED_MS;
    const isShown = ({ polls, outcome, at, durationMs = 0 }: CallRecord) =>
      // What pages read is of no interest to the pages of other bridges.
      polls === undefined && (outcome === undefined || at + durationMs > since);
    const { audit, clean } = this.#sources;
    return clean(audit.trail.recent().filter(isShown).slice(-MAX_CALLS).map(callRow));
  }

  #ask<Row extends { readonly bridge: string | null }>(op: string): Promise<Elsewhere<Row>> {
    const asked = this.#asked.get(op);
    const at = performance.now();
    if (asked !== undefined && at - asked.at < FRESH_MS) return asked.answer;
    const answer = this.#askAll<Row>(op);
    this.#asked.set(op, { at, answer: answer as Promise<Elsewhere<never>> });
    return answer;
  }

  async #askAll<Row extends { readonly bridge: string | null }>(
    op: string,
  ): Promise<Elsewhere<Row>> {
    const cluster = this.#cluster;
    const { state, trouble = "it is connecting to NATS" } = cluster.status;
    if (state !== "joined") {
      return {
        rows: [],
        unseen: `This bridge has no connection to the others (${trouble}): their clients and calls are missing here.`,
      };
    }
    const silent: string[] = [];
    const answers = await Promise.all(
      cluster.directory.others().map(async (id) => {
        const bridge = cluster.nameOf(id);
        const rows = (await cluster.ask(id, op, {}, ASK_MS)) as readonly Row[] | undefined;
        if (rows === undefined) silent.push(bridge);
        return (rows ?? []).map((row) => ({ ...row, bridge }));
      }),
    );
    const who = silent.sort().join(", ");
    const unseen =
      who === ""
        ? undefined
        : `No answer comes from ${who}: its clients and calls are missing here.`;
    return { rows: answers.flat(), unseen };
  }
}
