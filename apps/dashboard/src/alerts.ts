import type { TopicData } from "@ccbridge/protocol/dashboard";
import { effect, signal } from "@preact/signals";
import { connection, watch } from "./wire/connection.js";

export type Alerts = TopicData<"alerts">;
export type FiredAlert = Alerts["fired"][number];

const TOAST_MS = 12_000;
const MAX_TOASTS = 4;

export const alerts = signal<Alerts | undefined>(undefined);

/** Deliveries since the page was opened that are still shown. */
export const toasts = signal<readonly FiredAlert[]>([]);

const listeners = new Set<(fired: FiredAlert) => void>();

export function onFired(listener: (fired: FiredAlert) => void): void {
  listeners.add(listener);
}

export function dropToast(id: string): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

export function followAlerts(): void {
  let isFollowing = false;
  effect(() => {
    if (connection.value.kind !== "open" || isFollowing) return;
    isFollowing = true;
    watch("alerts", {}, (data) => {
      const known = alerts.peek();
      alerts.value = data;
      // Deliveries from before the page was opened are in the list.
      if (known === undefined) return;
      const before = new Set(known.fired.map(({ id }) => id));
      for (const fired of data.fired) if (!before.has(fired.id)) announce(fired);
    });
  });
}

function announce(fired: FiredAlert): void {
  toasts.value = [...toasts.peek(), fired].slice(-MAX_TOASTS);
  setTimeout(() => dropToast(fired.id), TOAST_MS);
  for (const listener of listeners) listener(fired);
}
