import { MAX_UNDONE } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Change } from "../changes.js";
import { clockText } from "../parts/time.js";
import { byText, changeText } from "../said.js";
import { act } from "../wire/connection.js";
import { mayAct } from "../wire/hooks.js";
import { Confirm, type Preview, saidOf } from "./undo.js";

interface VersionsProps {
  id: string;
  path: string;
  onRestored(): void;
}

/** What was in a file before each of its changes, and Restore: first it shows what differs. */
export function Versions({ id, path, onRestored }: VersionsProps) {
  const changes = useSignal<readonly Change[] | undefined>(undefined);
  const chosen = useSignal<Preview | undefined>(undefined);
  const said = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const load = async () => {
    changes.value = (await act("find-changes", { key: id, path })).changes;
  };
  const tried = async (work: () => Promise<void>) => {
    isBusy.value = true;
    try {
      await work();
    } catch (error) {
      said.value = (error as Error).message;
    }
    isBusy.value = false;
  };
  useEffect(() => void tried(load), [id, path]);
  const compare = (index: number) =>
    tried(async () => {
      // To what it was then: without that change and all later ones.
      const ids = (changes.value ?? []).slice(0, index + 1).map((change) => change.id);
      const answer = await act("undo-changes", { changes: ids, sure: false, force: false });
      said.value = undefined;
      chosen.value = { ...answer, ids };
    });
  const restore = (force: boolean) =>
    tried(async () => {
      const changed = [...(chosen.value?.ids ?? [])];
      const answer = await act("undo-changes", { changes: changed, sure: true, force });
      chosen.value = undefined;
      said.value = saidOf(answer);
      await load();
      if (answer.undone.length > 0) onRestored();
    });
  const shown = (changes.value ?? []).slice(0, MAX_UNDONE);
  return (
    <section class="undo stack" aria-label="Versions">
      {changes.value?.length === 0 && <p class="muted small">No earlier version is kept.</p>}
      <ul>
        {shown.map(({ id: change, time, tool, client, what, undoneBy }, index) => (
          <li key={change}>
            <span>
              Until {clockText(time)}, when {tool}
              {byText(client)} changed <code>{changeText(what)}</code>
            </span>
            {undoneBy !== null && <span class="badge small">undone</span>}
            {mayAct() && (
              <button type="button" disabled={isBusy.value} onClick={() => void compare(index)}>
                Compare and restore
              </button>
            )}
          </li>
        ))}
      </ul>
      {said.value !== undefined && <p role="status">{said.value}</p>}
      {chosen.value !== undefined && (
        <Confirm
          preview={chosen.value}
          isBusy={isBusy.value}
          onDo={(force) => void restore(force)}
          onCancel={() => {
            chosen.value = undefined;
          }}
        />
      )}
    </section>
  );
}
