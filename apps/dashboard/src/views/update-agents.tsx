import type { FleetRow } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { fleet, outdated, titleOf } from "../fleet.js";
import { act, connection } from "../wire/connection.js";
import { mayAct } from "../wire/hooks.js";

/** Updates older programs one after another; stops at a computer that does not come back. */
export function UpdateAgents() {
  const doing = useSignal<string | undefined>(undefined);
  const problems = useSignal<readonly string[]>([]);
  const { value } = connection;
  const rows = value.kind === "open" ? outdated(fleet.value?.values() ?? [], value.version) : [];
  const note = (problem: string) => {
    problems.value = [...problems.value, problem];
  };
  const update = async (wanted: readonly FleetRow[]) => {
    problems.value = [];
    for (const [index, row] of wanted.entries()) {
      doing.value = `Updating ${titleOf(row)} (${index + 1} of ${wanted.length}) …`;
      try {
        await act("update-agent", { key: row.key });
      } catch (error) {
        note((error as Error).message);
        // What was refused changed nothing there.
        if (fleet.peek()?.get(row.key)?.state === "live") continue;
        const left = wanted.length - index - 1;
        if (left > 0) note(`Stopped: ${left} more were not updated.`);
        break;
      }
    }
    doing.value = undefined;
  };
  const isIdle = doing.value === undefined;
  if (rows.length === 0 && isIdle && problems.value.length === 0) return null;
  return (
    <div class="card update-agents">
      <p role="status">
        {doing.value ??
          (rows.length === 1
            ? "mcp-computer is older than the bridge on 1 computer."
            : `mcp-computer is older than the bridge on ${rows.length} computers.`)}
      </p>
      {problems.value.map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
      {isIdle && rows.length > 0 && mayAct() && (
        <button type="button" onClick={() => void update(rows)}>
          Update {rows.length === 1 ? "it" : "all, one after another"}
        </button>
      )}
    </div>
  );
}
