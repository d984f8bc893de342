import { type FleetRow, MAX_SEEN_TURTLES, type TurtleFacts } from "@ccbridge/protocol/dashboard";
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { alerts, type FiredAlert } from "../alerts.js";
import { titleOf } from "../fleet.js";
import { forget, keep, kept } from "../kept.js";
import { nameOf } from "../names.js";
import { Ago, currentTime, Lasted } from "../parts/time.js";
import { computerHref } from "../route.js";
import { said } from "../said.js";
import { watch } from "../wire/connection.js";
import { firstLine, type Work } from "./home.js";

export const LOW_FUEL = 500;
/** A job that should have stopped long ago. */
const STUCK_MS = 30_000;
const DISMISSED = "ccbridge-dismissed";
const MAX_SHOWN = 6;
/** How long an alert that was not dismissed is shown. */
const ALERT_MS = 86_400_000;

const dismissed = signal<ReadonlySet<string>>(
  new Set((kept(DISMISSED) ?? "").split("\n").filter(Boolean)),
);

function dismiss(id: string): void {
  const now = new Set(dismissed.peek()).add(id);
  dismissed.value = now;
  keep(DISMISSED, [...now].slice(-500).join("\n"));
}

function bringBack(): void {
  dismissed.value = new Set();
  forget(DISMISSED);
}

/** What needs a person but waits for no answer: alerts, failed and stuck jobs, low fuel, turtles that are away. */
export function Notices({
  jobs,
  rows,
}: {
  jobs: readonly Work[];
  rows: ReadonlyMap<string, FleetRow> | undefined;
}) {
  const turtles = useTurtles(rows);
  const all = [...(rows?.values() ?? [])];
  const delivered = (alerts.value?.fired ?? []).filter(({ at }) => currentTime() - at < ALERT_MS);
  const current = [
    ...delivered.map(alertNotice).reverse(),
    ...jobs.filter(({ ended }) => ended).map(failedNotice),
    ...jobs.filter(isStuck).map(stuckNotice),
    ...all.flatMap((row) => fuelNotice(row, turtles.get(row.key))),
    ...all.filter(({ kind, state }) => kind === "turtle" && state !== "live").map(awayNotice),
  ];
  const notices = current.filter(({ id }) => !dismissed.value.has(id));
  const hidden = current.length - notices.length;
  if (current.length === 0) return null;
  return (
    <section class="stack" aria-label="Needs you">
      {notices.length > 0 && <h2>Needs you</h2>}
      {notices.length > 0 && (
        <ul class="notices card">
          {notices.slice(0, MAX_SHOWN).map(({ id, key, tab, what, when }) => (
            <li key={id}>
              <a href={computerHref(key, tab)}>{what}</a>
              <span class="muted small">{when}</span>
              <button
                type="button"
                class="quiet"
                aria-label={`Dismiss: ${nameOf(key)}`}
                onClick={() => dismiss(id)}
              >
                Dismiss
              </button>
            </li>
          ))}
        </ul>
      )}
      {notices.length > MAX_SHOWN && (
        <p class="muted small">and {notices.length - MAX_SHOWN} more</p>
      )}
      {hidden > 0 && (
        <button type="button" class="quiet small" onClick={bringBack}>
          Show {hidden} dismissed
        </button>
      )}
    </section>
  );
}

function alertNotice({ id, key, at, text }: FiredAlert) {
  return { id: `alert ${id}`, key, tab: "events", what: said(text), when: <Ago at={at} /> };
}

function failedNotice(job: Work) {
  const why = { "timed-out": "ran out of time", lost: "was lost" }[job.state] ?? "failed";
  return {
    id: `job ${job.id}`,
    key: job.key,
    tab: "jobs",
    what: `${firstLine(job)} ${why} on ${nameOf(job.key)}`,
    when: <Ago at={job.endedAt ?? job.createdAt} />,
  };
}

function isStuck({ ended, stopping, linked, state, startedAt, createdAt }: Work): boolean {
  if (ended) return false;
  const isOld = currentTime() - (startedAt ?? createdAt) > STUCK_MS;
  return isOld && (stopping || (!linked && state === "running"));
}

function stuckNotice(job: Work) {
  return {
    id: `stuck ${job.id}`,
    key: job.key,
    tab: "jobs",
    what: job.stopping
      ? `${firstLine(job)} does not stop on ${nameOf(job.key)}`
      : `${nameOf(job.key)} left while ${firstLine(job)} ran: whether it goes on is not known`,
    when: <Lasted from={job.startedAt ?? job.createdAt} to={null} />,
  };
}

function fuelNotice(row: FleetRow, turtle: TurtleFacts | undefined) {
  const fuel = turtle?.fuel;
  if (row.state !== "live" || typeof fuel !== "number" || fuel >= LOW_FUEL) return [];
  const what = `${titleOf(row)} has ${fuel === 0 ? "no fuel" : `only ${fuel} fuel`} left`;
  return [{ id: `fuel ${row.key}`, key: row.key, tab: "turtle", what, when: null }];
}

function awayNotice(row: FleetRow) {
  const { key, state, lastSeenAt } = row;
  const what = `${titleOf(row)} ${state === "away" ? "is away" : "does not answer"}`;
  const when = lastSeenAt === null ? null : <Ago at={lastSeenAt} />;
  return { id: `away ${key} ${lastSeenAt}`, key, tab: "turtle", what, when };
}

function useTurtles(
  rows: ReadonlyMap<string, FleetRow> | undefined,
): ReadonlyMap<string, TurtleFacts> {
  const turtles = useSignal<ReadonlyMap<string, TurtleFacts>>(new Map());
  /** Joined: an equal list is not a change. */
  const wanted = [...(rows?.values() ?? [])]
    .filter(({ kind, state }) => kind === "turtle" && state === "live")
    .slice(0, MAX_SEEN_TURTLES)
    .map(({ key }) => key)
    .join("\n");
  useEffect(() => {
    if (wanted === "") return;
    return watch("turtles", { keys: wanted.split("\n") }, (data) => {
      const now = new Map(turtles.peek());
      for (const turtle of data.turtles) now.set(turtle.key, turtle);
      turtles.value = now;
    });
  }, [wanted]);
  return turtles.value;
}
