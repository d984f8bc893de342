import type { SessionRow, TopicData } from "@ccbridge/protocol/dashboard";
import { poll } from "@ccbridge/registry";
import type { CallRecord } from "../../calls/audit/record.js";
import type { DashboardServices } from "../context/services.js";
import { latest, type Source } from "./watch.js";

const SESSIONS_MS = 1_000;

export function waitingSource(
  { approvals, pairing, capabilities }: DashboardServices,
  ready: () => void,
): Source<TopicData<"waiting">> {
  return latest(ready, (notify) => {
    const refresh = () =>
      notify({
        approvals: approvals.list().map(({ targets, choices, ...approval }) => ({
          ...approval,
          targets: [...targets],
          choices: choices.map((choice) => ({ ...choice })),
        })),
        pairings: pairing?.pending().map((pending) => ({ ...pending })) ?? [],
        capabilities: capabilities.list(),
      });
    const stops = [
      approvals.subscribe(refresh),
      pairing?.subscribe(refresh),
      capabilities.subscribe(refresh),
    ];
    refresh();
    return () => {
      for (const stop of stops) stop?.();
    };
  });
}

export function permissionsSource(
  { permissions }: DashboardServices,
  ready: () => void,
): Source<TopicData<"permissions">> {
  return latest(ready, (notify) => {
    const refresh = () =>
      notify({
        permissions: permissions.list().map(({ tool, targets, ...permission }) => ({
          ...permission,
          tool: tool ?? null,
          targets: targets.map(({ name }) => name),
        })),
      });
    refresh();
    return permissions.subscribe(refresh);
  });
}

export function clientsSource(
  services: DashboardServices,
  isShown: (session: { readonly client: string }) => boolean,
  ready: () => void,
): Source<TopicData<"clients">> {
  let known: string | undefined;
  return latest(ready, (notify) =>
    poll(async () => {
      const sessions = sessionRows(services).filter(isShown);
      const text = JSON.stringify(sessions);
      if (text === known) return;
      known = text;
      notify({ sessions });
    }, SESSIONS_MS),
  );
}

export function tokensSource(
  { tokens }: DashboardServices,
  ready: () => void,
): Source<TopicData<"tokens">> {
  let known: string | undefined;
  return latest(ready, (notify) =>
    poll(async () => {
      const data = tokens.list();
      const text = JSON.stringify(data);
      if (text === known) return;
      known = text;
      notify(data);
    }, SESSIONS_MS),
  );
}

function sessionRows({ sessions, audit }: DashboardServices): SessionRow[] {
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

export function numbersSource(
  { numbers }: DashboardServices,
  ready: () => void,
): Source<TopicData<"numbers">> {
  return latest(ready, (notify) => {
    const refresh = () => notify({ samples: [...numbers.samples] });
    refresh();
    return numbers.subscribe(refresh);
  });
}
