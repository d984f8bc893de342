import { effect } from "@preact/signals";
import { fleet } from "./fleet.js";
import { ActionError, act, type ConnectionState, connection } from "./wire/connection.js";

const wanted = new Map<string, Set<string>>();
const asked = new Set<string>();

export async function watchEvents(key: string, name: string, on: boolean): Promise<void> {
  asked.add(key);
  await act("watch-events", { key, name, on });
  const names = wanted.get(key) ?? new Set();
  wanted.set(key, names);
  if (on) names.add(name);
  else names.delete(name);
}

/** Restores watches after a reconnect, once their computer is linked. */
export function keepWatchingEvents(): void {
  let over: ConnectionState | undefined;
  effect(() => {
    const { value } = connection;
    const rows = fleet.value;
    // Another viewer has different watches.
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
    act("watch-events", { key, name, on: true }).catch((error: unknown) => {
      // The fleet may be outdated: its next change shows whether the computer is linked.
      if (error instanceof ActionError && error.code !== undefined) asked.delete(key);
    });
  }
}
