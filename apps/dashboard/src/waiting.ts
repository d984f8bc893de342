import type { TopicData } from "@ccbridge/protocol/dashboard";
import { computed, effect, signal } from "@preact/signals";
import { connection, watch } from "./wire/connection.js";

export const waiting = signal<TopicData<"waiting"> | undefined>(undefined);

export const permissions = signal<TopicData<"permissions"> | undefined>(undefined);

export const waitingCount = computed(() => {
  const { approvals = [], pairings = [], capabilities = [] } = waiting.value ?? {};
  return approvals.length + pairings.length + capabilities.length;
});

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
