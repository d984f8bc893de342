import { BoundedMap } from "@ccbridge/registry";
import { limits } from "../config/limits.js";
import type { Caller } from "./caller.js";

const GROUP_MS = 60_000;

interface PollGroup {
  readonly since: number;
  calls: number;
}

/**
 * What sessions poll: a screen in a chat, a subscription, a view of the dashboard. The polls of a
 * minute count as one call in the audit and for rates. Rights are checked for each of them.
 */
export class PollGroups {
  readonly #now: () => number;
  readonly #sessions = new WeakMap<Caller, BoundedMap<string, PollGroup>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a call continues a group that was counted; otherwise it begins one. */
  continues(caller: Caller, polled: string): boolean {
    const now = this.#now();
    const groups = this.#sessions.get(caller) ?? new BoundedMap(limits.viewedScreens);
    this.#sessions.set(caller, groups);
    const group = groups.get(polled);
    const isRecent = group !== undefined && now - group.since < GROUP_MS;
    if (isRecent && group.calls < limits.viewCalls) {
      group.calls += 1;
      return true;
    }
    groups.set(polled, { since: now, calls: 1 });
    return false;
  }

  /** Ends a group, as after a failure, so that the next call counts. */
  end(caller: Caller, polled: string): void {
    this.#sessions.get(caller)?.delete(polled);
  }
}
