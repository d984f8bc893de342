import type { TopicData } from "@ccbridge/protocol/dashboard";
import { computed, effect, signal } from "@preact/signals";
import { connection, watch } from "./wire/connection.js";

/** What waits for a person; undefined for viewers who may not decide. */
export const waiting = signal<TopicData<"waiting"> | undefined>(undefined);

/** What people allowed clients for an hour; undefined for viewers who may not decide. */
export const permissions = signal<TopicData<"permissions"> | undefined>(undefined);

/** How many questions wait for this viewer. */
export const waitingCount = computed(() => {
  const { approvals = [], pairings = [], capabilities = [] } = waiting.value ?? {};
  return approvals.length + pairings.length + capabilities.length;
});

/** While a page of an owner is open, clients can ask it. */
export function followWaiting(): void {
  let isFollowing = false;
  effect(() => {
    const { value } = connection;
    if (value.kind !== "open" || !value.viewer.mayDecide || isFollowing) return;
    isFollowing = true;
    watch("waiting", {}, (data) => {
      waiting.value = data;
    });
    watch("permissions", {}, (data) => {
      permissions.value = data;
    });
  });
}
