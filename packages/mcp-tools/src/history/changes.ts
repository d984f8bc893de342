import type { ChangeCount, JobSummary, LastPlace } from "@ccbridge/registry";
import { timeText } from "../core/clock.js";
import type { Kinds } from "../core/kind.js";
import { afterBar, inline } from "../format/set-apart.js";
import { cutEnd } from "../format/text.js";

const MAX_SUBJECTS = 8;
const MAX_JOBS = 5;
const SUBJECT_LENGTH = 80;

export interface ProviderChanges {
  readonly key: string | null;
  readonly name: string;
  readonly last: number;
  readonly lines: readonly string[];
}

interface Facts {
  readonly changes: readonly ChangeCount[];
  /** Jobs that have not ended. */
  readonly running: readonly JobSummary[];
  /** What moved in this time. */
  readonly moved: readonly LastPlace[];
  readonly kinds: Kinds;
}

/** What changed, by provider, the one that changed last first. */
export function changesByProvider({ changes, running, moved, kinds }: Facts): ProviderChanges[] {
  const effects = effectsOf(kinds);
  const names = new Map(running.map(({ key, provider }) => [key, provider.name]));
  for (const { key, provider } of [...changes].reverse()) {
    if (key !== null && provider !== null) names.set(key, provider);
  }
  const keys = new Set([...changes.map(({ key }) => key), ...running.map(({ key }) => key)]);
  for (const { key } of moved) if (names.has(key)) keys.add(key);
  const all = [...keys].map((key) => {
    const own = changes.filter((change) => change.key === key);
    const jobs = running.filter((job) => job.key === key);
    const place = moved.find((each) => each.key === key);
    const last = Math.max(
      ...[...own.map((change) => change.last), ...jobs.map(({ createdAt }) => createdAt)],
      place?.movedAt ?? 0,
    );
    const lines = [...effectLines(own, effects), ...failureLines(own), ...jobLines(jobs)];
    if (place !== undefined) {
      const { x, y, z, movedAt } = place;
      lines.push(`moved, last seen at ${x} ${y} ${z} at ${timeText(movedAt)}`);
    }
    return { key, name: (key && names.get(key)) ?? "no provider", last, lines };
  });
  return all.sort((a, b) => b.last - a.last);
}

function effectsOf({ all }: Kinds): ReadonlyMap<string, string> {
  const tools = all.flatMap((kind) => Object.values(kind.tools).flat());
  return new Map(tools.flatMap(({ name, effect }) => (effect ? [[name, effect] as const] : [])));
}

function effectLines(
  changes: readonly ChangeCount[],
  effects: ReadonlyMap<string, string>,
): string[] {
  const groups = new Map<string, ChangeCount[]>();
  for (const change of changes) {
    if (change.outcome !== "ok") continue;
    const effect = effects.get(change.tool) ?? inline(change.tool);
    groups.set(effect, [...(groups.get(effect) ?? []), change]);
  }
  return [...groups].map(([effect, own]) => `${effect}: ${subjectsText(own)}${clientsText(own)}`);
}

/** Which things, and how often each. */
function subjectsText(changes: readonly ChangeCount[]): string {
  const counts = new Map<string | null, number>();
  for (const { subject, times } of changes) {
    counts.set(subject, (counts.get(subject) ?? 0) + times);
  }
  const all = [...counts].map(([subject, times]) => {
    const often = times === 1 ? "once" : `${times} times`;
    return subject === null ? often : `${inline(subject, SUBJECT_LENGTH)} (${often})`;
  });
  const more = all.length - MAX_SUBJECTS;
  return [...all.slice(0, MAX_SUBJECTS), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function clientsText(changes: readonly ChangeCount[]): string {
  const clients = new Set(changes.flatMap((change) => change.clients));
  return `, by ${[...clients].map((name) => inline(name)).join(", ")}`;
}

function failureLines(changes: readonly ChangeCount[]): string[] {
  const count = (outcome: string) =>
    changes
      .filter((change) => change.outcome === outcome)
      .reduce((sum, { times }) => sum + times, 0);
  return ["error", "refused"].flatMap((outcome) => {
    const times = count(outcome);
    return times === 0 ? [] : [`calls with outcome ${outcome}: ${times}`];
  });
}

function jobLines(jobs: readonly JobSummary[]): string[] {
  const lines = jobs.slice(0, MAX_JOBS).map(({ id, createdAt, summary }) => {
    const code = summary === null ? "" : ` ${afterBar(cutEnd(summary, SUBJECT_LENGTH))}`;
    return `still running: job ${id} since ${timeText(createdAt)}${code}`;
  });
  const more = jobs.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more jobs: list-jobs`] : lines;
}
