import type { TopicData } from "@ccbridge/protocol/dashboard";
import { effect, signal } from "@preact/signals";
import { connection, watch } from "./wire/connection.js";

/** What waits for a person; undefined for viewers who may not decide. */
export const waiting = signal<TopicData<"waiting"> | undefined>(undefined);

/** While a page of somebody who may decide is open, clients can ask it. */
export function followWaiting(): void {
  let stop: (() => void) | undefined;
  effect(() => {
    const { value } = connection;
    if (value.kind !== "open" || !value.viewer.mayDecide || stop !== undefined) return;
    stop = watch("waiting", {}, (data) => {
      waiting.value = data;
    });
  });
}
