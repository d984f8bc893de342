import { type ActionResult, type CallRow, MAX_TRACES } from "@ccbridge/protocol/dashboard";
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act } from "./wire/connection.js";

export type Change = ActionResult<"find-changes">["changes"][number];

export interface Changes {
  /** By the trace of the call that made them, newest first. */
  readonly byTrace: ReadonlySignal<ReadonlyMap<string, readonly Change[]>>;
  reload(): void;
}

/** Calls come in groups. */
const SETTLED_MS = 300;

/** What these calls changed, as far as the bridge keeps it. */
export function useChanges(calls: readonly CallRow[]): Changes {
  const byTrace = useSignal<ReadonlyMap<string, readonly Change[]>>(new Map());
  const version = useSignal(0);
  /** Joined: an equal list is not a change. */
  const wanted = calls
    .filter(({ acts, outcome }) => acts && (outcome === "ok" || outcome === "error"))
    .map(({ trace }) => trace)
    .join("\n");
  useEffect(() => {
    if (wanted === "") return;
    let isOver = false;
    const load = async () => {
      const found = new Map<string, Change[]>();
      for (const change of await find(wanted.split("\n"))) {
        found.set(change.trace, [...(found.get(change.trace) ?? []), change]);
      }
      if (!isOver) byTrace.value = found;
    };
    // What a page may not see is not offered to it.
    const timer = setTimeout(() => void load().catch(() => {}), SETTLED_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [wanted, version.value]);
  return {
    byTrace,
    reload: () => {
      version.value += 1;
    },
  };
}

async function find(traces: readonly string[]): Promise<Change[]> {
  const found: Change[] = [];
  for (let from = 0; from < traces.length; from += MAX_TRACES) {
    const part = traces.slice(from, from + MAX_TRACES);
    found.push(...(await act("find-changes", { traces: part })).changes);
  }
  return found;
}
