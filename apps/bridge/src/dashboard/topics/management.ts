import { conditionText } from "@ccbridge/mcp-tools";
import type { TopicData } from "@ccbridge/protocol/dashboard";
import { computerName, poll } from "@ccbridge/registry";
import type { Client } from "../../auth/rights/client.js";
import type { DashboardServices } from "../context/services.js";
import { sessionRows } from "../context/session-rows.js";
import { latest, type Source } from "./watch.js";

const MAX_TEXT = 300;

const SESSIONS_MS = 1_000;
/** Others are found with `ccbridge pair`. */
const MAX_APPROVED = 500;

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

export function settingsSource(
  { settings }: DashboardServices,
  ready: () => void,
): Source<TopicData<"settings">> {
  return latest(ready, (notify) => {
    const refresh = () => notify(settings.list());
    refresh();
    return settings.subscribe(refresh);
  });
}

export function approvedSource(
  { pairing }: DashboardServices,
  ready: () => void,
): Source<TopicData<"approved">> {
  return latest(ready, (notify) => {
    const refresh = () => {
      const all = pairing?.paired() ?? [];
      const newest = [...all].sort((a, b) => b.pairedAt - a.pairedAt).slice(0, MAX_APPROVED);
      const computers = newest.map((computer) => {
        const { key, world, address, pairedAt: at, pairedBy: by } = computer;
        return { key, name: computerName(computer), world, address, at, by };
      });
      notify({ computers, total: all.length });
    };
    refresh();
    return pairing?.subscribe(refresh) ?? (() => {});
  });
}

export function alertsSource(
  { alerts }: DashboardServices,
  client: Client | undefined,
  ready: () => void,
): Source<TopicData<"alerts">> {
  return latest(ready, (notify) => {
    const refresh = () =>
      notify({
        alerts: alerts.list(client).map((alert) => {
          const { id, client: name, until, times, fired, trouble = null } = alert;
          return { id, client: name, until, times, fired, what: conditionText(alert), trouble };
        }),
        fired: alerts
          .fired(client)
          .map(({ alert, client: name, at, text, problems, provider }) => ({
            ...{ id: `${alert} ${at}`, alert, client: name, at, text: text.slice(0, MAX_TEXT) },
            ...{ key: provider.key, problems: problems.map((one) => one.slice(0, MAX_TEXT)) },
          })),
      });
    refresh();
    return alerts.subscribe(refresh);
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
      const others = await services.elsewhere?.sessions();
      const own = sessionRows(services.sessions, services.audit);
      const sessions = [...own, ...(others?.rows ?? [])]
        .filter(isShown)
        .sort((a, b) => b.usedAt - a.usedAt);
      const data = { sessions, unseen: others?.unseen ?? null };
      const text = JSON.stringify(data);
      if (text === known) return;
      known = text;
      notify(data);
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

export function clusterSource(
  { cluster }: DashboardServices,
  ready: () => void,
): Source<TopicData<"cluster">> {
  let known: string | undefined;
  return latest(ready, (notify) =>
    poll(async () => {
      const data = { cluster: cluster() };
      const text = JSON.stringify(data);
      if (text === known) return;
      known = text;
      notify(data);
    }, SESSIONS_MS),
  );
}

export function numbersSource(
  { numbers, historyStatus }: DashboardServices,
  ready: () => void,
): Source<TopicData<"numbers">> {
  return latest(ready, (notify) => {
    const refresh = () => notify({ samples: [...numbers.samples], history: historyStatus() });
    refresh();
    return numbers.subscribe(refresh);
  });
}
