import { computed, signal } from "@preact/signals";
import { forget, keep, kept, keptNames } from "../kept.js";
import { viewerName } from "../wire/connection.js";

/** How many drafts, and how many characters of them, the browser is asked to keep. */
const MAX_STORED = 32;
const MAX_STORED_LENGTH = 2_000_000;
/** After the last key: storing a large text takes longer than typing a letter. */
const STORE_MS = 300;
const PREFIX = "ccbridge-draft:";

/** Unsaved text. The storage of a tab belongs to one origin, so the address of the bridge is not part of it. */
interface Draft {
  /** The name of the token that was used; null without tokens. */
  readonly viewer: string | null;
  readonly computer: string;
  /** What the computer was called, for when it is gone. */
  readonly title: string;
  readonly path: string;
  readonly text: string;
  /** The version that the text began with. Saving it expects that version. */
  readonly baseHash: string;
}

export type UnsavedFile = Pick<Draft, "computer" | "title" | "path">;

const drafts = new Map<string, Draft>(readStored());
const stored = new Map([...drafts].map(([key, { text }]) => [key, text.length]));
/** What the storage does not have as it is now. */
const pending = new Set<string>();
const names = signal<readonly Draft[]>([...drafts.values()]);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether some unsaved text would not survive a reload. */
export const isUnstored = signal(false);

/** The files that have unsaved text of the person who looks. */
export const unsavedFiles = computed<readonly UnsavedFile[]>(() =>
  names.value.filter(({ viewer }) => viewer === viewerName.value),
);

export function isUnsaved(computer: string, path: string): boolean {
  return unsavedFiles.value.some((file) => file.computer === computer && file.path === path);
}

/** Names the draft of a file of the person who looks. */
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

/** Without a question: the caller has asked, or the text is saved. */
export function dropDraft(key: string): void {
  if (!drafts.delete(key)) return;
  stored.delete(key);
  forget(PREFIX + key);
  names.value = [...drafts.values()];
  // There may be space now for one that was refused.
  store();
}

/** Drops all drafts of the person who looks. */
export function dropAllDrafts(): void {
  for (const { computer, path } of unsavedFiles.peek()) dropDraft(draftKey(computer, path));
}

/** A text was saved: what was typed meanwhile is based on it. */
export function saved(key: string, text: string, hash: string): void {
  const draft = drafts.get(key);
  if (draft === undefined) return;
  if (draft.text === text) dropDraft(key);
  else writeDraft(key, { ...draft, baseHash: hash });
}

/** Stores what the browser takes. The rest stays in the page, and may be stored when others are saved. */
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

/** Keeps drafts when the page goes, and lets the browser ask first where it does not keep them. */
export function guardDrafts(): void {
  window.addEventListener("pagehide", store);
  window.addEventListener("beforeunload", (event) => {
    store();
    if (isUnstored.value) event.preventDefault();
  });
}
