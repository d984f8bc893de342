import type { SessionRow } from "@ccbridge/protocol/dashboard";
import type { Audit } from "../../calls/audit/audit.js";
import type { CallRecord } from "../../calls/audit/record.js";
import type { NamedSessions } from "../../mcp/sessions/named-sessions.js";

/** The sessions of this bridge, the last used first. */
export function sessionRows(sessions: NamedSessions, { trail }: Audit): SessionRow[] {
  const calls = new Map<string, CallRecord>();
  for (const record of trail.recent()) calls.set(record.session, record);
  return sessions
    .list()
    .map((session) => {
      const last = calls.get(session.name);
      return {
        id: session.name,
        client: session.client.name,
        software: session.software ?? last?.software ?? null,
        protocol: session.protocol ?? null,
        mayEnd: session.mayEnd,
        usedAt: session.usedAt ?? last?.at ?? 0,
        openCalls: session.openCalls,
        lastTool: last?.tool ?? null,
        bridge: null,
      };
    })
    .sort((a, b) => b.usedAt - a.usedAt);
}
