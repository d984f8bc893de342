import type { ActionParams, ActionResult, CallRow } from "@ccbridge/protocol/dashboard";
import type { HistoricCall, History } from "@ccbridge/registry";

const PAGE = 100;

/** A page of earlier calls, as far as the viewer may see them. */
export async function findCalls(
  history: History | undefined,
  { key, ...filter }: ActionParams<"find-calls">,
): Promise<ActionResult<"find-calls">> {
  const keys = key === undefined ? {} : { keys: [key] };
  const page = await history?.timeline({ ...filter, ...keys, what: ["call"], limit: PAGE });
  const calls = page?.entries.filter((entry) => entry.what === "call") ?? [];
  return { calls: calls.map(rowOf), next: page?.next ?? null };
}

function rowOf(call: HistoricCall): CallRow {
  const { id, time: at, client, software, session, tool, acts, job, approvedBy, trace } = call;
  return {
    ...{ id, at, client, software, session, tool, acts, job, approvedBy, trace, waits: false },
    request: { ...call.args },
    providers: call.targets.map(({ name }) => name),
    keys: call.targets.map(({ key }) => key),
    outcome: call.outcome as CallRow["outcome"],
    durationMs: call.durationMs,
    answer: call.answer === "" ? null : call.answer,
    bridge: null,
  };
}
