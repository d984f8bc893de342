import { type ActionResult, MAX_UNDONE } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import type { Change } from "../changes.js";
import { nameOf } from "../names.js";
import { changeText } from "../said.js";
import { act } from "../wire/connection.js";
import { mayAct } from "../wire/hooks.js";

const MAX_SHOWN = 20;

interface UndoProps {
  /** Newest first. */
  changes: readonly Change[];
  onUndone(): void;
}

export interface Preview extends ActionResult<"undo-changes"> {
  readonly ids: readonly string[];
}

/** What a task changed, and Undo for what can be taken back: first it shows what that would do. */
export function Undo({ changes, onUndone }: UndoProps) {
  const preview = useSignal<Preview | undefined>(undefined);
  const said = useSignal<string | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const possible = changes.filter(isPossible).map(({ id }) => id);
  const ask = async (ids: readonly string[], how: { sure: boolean; force: boolean }) => {
    isBusy.value = true;
    try {
      const answer = await act("undo-changes", { changes: [...ids], ...how });
      problem.value = undefined;
      preview.value = how.sure ? undefined : { ...answer, ids };
      said.value = how.sure ? saidOf(answer) : undefined;
      if (how.sure) onUndone();
    } catch (error) {
      problem.value = (error as Error).message;
    } finally {
      isBusy.value = false;
    }
  };
  const look = (ids: readonly string[]) => void ask(ids, { sure: false, force: false });
  return (
    <section class="undo stack" aria-label="What it changed">
      <h3>What it changed</h3>
      <ul>
        {changes.slice(0, MAX_SHOWN).map((change) => (
          <li key={change.id}>
            <span>
              <code>{changeText(change.what)}</code> on {nameOf(change.key, change.provider)}
              {change.cannot !== null && (
                <span class="muted small"> · cannot be undone: {change.cannot}</span>
              )}
            </span>
            {change.undoneBy !== null && <span class="badge small">undone</span>}
            {isPossible(change) && mayAct() && (
              <button
                type="button"
                aria-label={`Undo ${changeText(change.what)}`}
                disabled={isBusy.value}
                onClick={() => look([change.id])}
              >
                Undo
              </button>
            )}
          </li>
        ))}
      </ul>
      {changes.length > MAX_SHOWN && (
        <p class="muted small">and {changes.length - MAX_SHOWN} more</p>
      )}
      {possible.length > 1 && mayAct() && (
        <p>
          <button
            type="button"
            disabled={isBusy.value}
            onClick={() => look(possible.slice(0, MAX_UNDONE))}
          >
            Undo {possible.length > MAX_UNDONE ? `the last ${MAX_UNDONE}` : "all of it"}
          </button>
        </p>
      )}
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {said.value !== undefined && <p role="status">{said.value}</p>}
      {preview.value !== undefined && (
        <Confirm
          preview={preview.value}
          isBusy={isBusy.value}
          onDo={(force) => void ask(preview.peek()?.ids ?? [], { sure: true, force })}
          onCancel={() => {
            preview.value = undefined;
          }}
        />
      )}
    </section>
  );
}

interface ConfirmProps {
  preview: Preview;
  isBusy: boolean;
  onDo(force: boolean): void;
  onCancel(): void;
}

export function Confirm({ preview, isBusy, onDo, onCancel }: ConfirmProps) {
  const { undone, refused } = preview;
  const details = changeText(preview.details, preview.ids);
  const mayForce = refused.some((each) => each.mayForce);
  const isNothing = undone.length === 0 && refused.length === 0;
  return (
    <section class="ask card" aria-label="What undoing would do">
      <p class="ask-what">
        {isNothing
          ? "It is as it was before already."
          : undone.length === 0
            ? "This cannot be undone as it is now:"
            : "Nothing is changed yet. This is what undoing does:"}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long text is scrolled with the keyboard */}
      <pre class="output" tabIndex={0}>
        {details}
      </pre>
      <p class="choices">
        {undone.length > 0 && (
          <button type="button" class="primary" disabled={isBusy} onClick={() => onDo(false)}>
            {refused.length > 0 ? "Undo what can be undone" : "Undo it"}
          </button>
        )}
        {mayForce && (
          <button type="button" class="danger" disabled={isBusy} onClick={() => onDo(true)}>
            Undo it and lose what was changed since
          </button>
        )}
        <button type="button" onClick={onCancel}>
          {isNothing ? "Close" : "Cancel"}
        </button>
      </p>
    </section>
  );
}

function isPossible({ undoneBy, cannot }: Change): boolean {
  return undoneBy === null && cannot === null;
}

export function saidOf({ undone, refused }: ActionResult<"undo-changes">): string {
  const count = undone.length === 1 ? "1 change" : `${undone.length} changes`;
  const rest = refused.map(({ why }) => why).join("; ");
  return rest === "" ? `Undone: ${count}.` : `Undone: ${count}. Not undone: ${rest}.`;
}
