import { computed, signal } from "@preact/signals";
import { forget, keep, kept, keptNames } from "../kept.js";
import { viewerName } from "../wire/connection.js";

const MAX_STORED = 32;
const MAX_STORED_LENGTH = 2_000_000;
/** Debounce: storing a large text takes longer than a keystroke. */
const STORE_MS = 300;
const PREFIX = "ccbridge-draft:";

/** Session storage is per origin, so the bridge's address is not part of it. */
interface Draft {
  readonly viewer: string | null;
  readonly computer: string;
  readonly title: string;
  readonly path: string;
  readonly text: string;
  readonly baseHash: string;
}

export type UnsavedFile = Pick<Draft, "computer" | "title" | "path">;

const drafts = new Map<string, Draft>(readStored());
const stored = new Map([...drafts].map(([key, { text }]) => [key, text.length]));
const pending = new Set<string>();
const names = signal<readonly Draft[]>([...drafts.values()]);
let timer: ReturnType<typeof setTimeout> | undefined;

export const isUnstored = signal(false);

export const unsavedFiles = computed<readonly UnsavedFile[]>(() =>
  names.value.filter(({ viewer }) => viewer === viewerName.value),
);

export function isUnsaved(computer: string, path: string): boolean {
  return unsavedFiles.value.some((file) => file.computer === computer && file.path === path);
}

export function draftKey(computer: string, path: string): string {
  return JSON.stringify([viewerName.peek() ?? null, computer, path]);
}

export function draftOf(key: string): Pick<Draft, "text" | "baseHash"> | undefined {
  return drafts.get(key);
}

export function writeDraft(key: string, draft: Pick<Draft, "title" | "text" | "baseHash">): void {
  const [viewer, computer, path] = JSON.parse(key) as [string | null, string, string];
  const isNew = !drafts.has(key);
  drafts.set(key, { viewer, computer, path, ...draft });
  pending.add(key);
  if (isNew) names.value = [...drafts.values()];
  timer ??= setTimeout(store, STORE_MS);
}

export function dropDraft(key: string): void {
  if (!drafts.delete(key)) return;
  stored.delete(key);
  forget(PREFIX + key);
  names.value = [...drafts.values()];
  // There may be space now for a draft that was refused.
  store();
}

export function dropAllDrafts(): void {
  for (const { computer, path } of unsavedFiles.peek()) dropDraft(draftKey(computer, path));
}

export function saved(key: string, text: string, hash: string): void {
  const draft = drafts.get(key);
  if (draft === undefined) return;
  if (draft.text === text) dropDraft(key);
  else writeDraft(key, { ...draft, baseHash: hash });
}

/** Drafts that do not fit stay in memory until others are saved. */
function store(): void {
  clearTimeout(timer);
  timer = undefined;
  for (const key of pending) {
    const draft = drafts.get(key);
    if (draft === undefined || storeOne(key, draft)) pending.delete(key);
  }
  isUnstored.value = pending.size > 0;
}

function storeOne(key: string, draft: Draft): boolean {
  let length = draft.text.length;
  let count = 1;
  for (const [other, otherLength] of stored) {
    if (other === key) continue;
    length += otherLength;
    count += 1;
  }
  if (count > MAX_STORED || length > MAX_STORED_LENGTH) return false;
  if (!keep(PREFIX + key, JSON.stringify(draft))) return false;
  stored.set(key, draft.text.length);
  return true;
}

function readStored(): [string, Draft][] {
  return keptNames().flatMap((name) => {
    if (!name.startsWith(PREFIX)) return [];
    const draft = readDraft(kept(name) ?? "");
    return draft === undefined ? [] : [[name.slice(PREFIX.length), draft]];
  });
}

function readDraft(json: string): Draft | undefined {
  try {
    const draft = JSON.parse(json);
    const { viewer, computer, title, path, text, baseHash } = draft;
    const texts = [viewer ?? "", computer, title, path, text, baseHash];
    return texts.every((value) => typeof value === "string") ? draft : undefined;
  } catch {
    return undefined;
  }
}

export function guardDrafts(): void {
  window.addEventListener("pagehide", store);
  window.addEventListener("beforeunload", (event) => {
    store();
    if (isUnstored.value) event.preventDefault();
  });
}
