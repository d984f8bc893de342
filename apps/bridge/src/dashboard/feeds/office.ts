import type { SessionRow, TopicData } from "@ccbridge/protocol/dashboard";
import { poll } from "@ccbridge/registry";
import type { CallRecord } from "../../audit/record.js";
import { type Feed, latestFeed } from "../sight/feed.js";
import type { Office } from "../sight/office.js";
import { checkOwner, type Sight } from "../sight/sight.js";

const SESSIONS_MS = 1_000;

/** What waits for a person. While it is watched, clients can ask. */
export function waitingFeed(
  { approvals, pairing, capabilities }: Office,
  sight: Sight,
  ready: () => void,
): Feed<TopicData<"waiting">> {
  checkOwner(sight);
  return latestFeed(ready, (tell) => {
    const look = () =>
      tell({
        approvals: approvals.list().map(({ targets, choices, ...approval }) => ({
          ...approval,
          targets: [...targets],
          choices: choices.map((choice) => ({ ...choice })),
        })),
        pairings: pairing?.pending().map((pending) => ({ ...pending })) ?? [],
        capabilities: capabilities.list(),
      });
    const stops = [
      approvals.subscribe(look),
      pairing?.subscribe(look),
      capabilities.subscribe(look),
    ];
    look();
    return () => {
      for (const stop of stops) stop?.();
    };
  });
}

/** The sessions of all clients, for those who may see them; of the viewer's own token for all others. */
export function clientsFeed(
  office: Office,
  { client, viewer }: Sight,
  ready: () => void,
): Feed<TopicData<"clients">> {
  let known: string | undefined;
  return latestFeed(ready, (tell) =>
    poll(async () => {
      const all = sessionRows(office);
      const sessions = viewer.mayDecide
        ? all
        : all.filter((session) => session.client === client.name);
      const text = JSON.stringify(sessions);
      if (text === known) return;
      known = text;
      tell({ sessions });
    }, SESSIONS_MS),
  );
}

function sessionRows({ sessions, audit }: Office): SessionRow[] {
  const calls = new Map<string, CallRecord>();
  for (const record of audit.trail.recent()) calls.set(record.session, record);
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
      };
    })
    .sort((a, b) => b.usedAt - a.usedAt);
}

/** The last minutes in numbers. */
export function numbersFeed({ numbers }: Office, ready: () => void): Feed<TopicData<"numbers">> {
  return latestFeed(ready, (tell) => {
    const look = () => tell({ samples: [...numbers.samples] });
    look();
    return numbers.subscribe(look);
  });
}
