import { effect } from "@preact/signals";
import { fleet } from "./fleet.js";
import { act, type ConnectionState, connection } from "./wire/connection.js";

/** The events that this page wants, by the keys of computers. The bridge forgets them with the connection. */
const wanted = new Map<string, Set<string>>();
/** The computers that were asked over this connection. */
const asked = new Set<string>();

/** Has a computer send events of a name, or ends that. */
export async function watchEvents(key: string, name: string, on: boolean): Promise<void> {
  asked.add(key);
  await act("watch-events", { key, name, on });
  const names = wanted.get(key) ?? new Set();
  wanted.set(key, names);
  if (on) names.add(name);
  else names.delete(name);
}

/** Asks for the same events again after a lost connection, when their computer is there. */
export function keepWatchingEvents(): void {
  let over: ConnectionState | undefined;
  effect(() => {
    const { value } = connection;
    const rows = fleet.value;
    // Another viewer may want others.
    if (value.kind === "token") wanted.clear();
    if (value.kind !== "open") return;
    if (value !== over) asked.clear();
    over = value;
    for (const key of wanted.keys()) {
      if (!asked.has(key) && rows?.get(key)?.state === "live") watchAgain(key);
    }
  });
}

function watchAgain(key: string): void {
  asked.add(key);
  for (const name of wanted.get(key) ?? []) {
    act("watch-events", { key, name, on: true }).catch((error: Error) => {
      // The list may be from before: its next change shows whether the computer is there.
      if (error.message.includes("not linked")) asked.delete(key);
    });
  }
}
