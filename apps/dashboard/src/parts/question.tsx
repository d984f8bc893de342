import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Question<Choice extends string> {
  readonly text: string;
  readonly choices: Readonly<Record<Choice, string>>;
}

interface OpenQuestion extends Question<string> {
  settle(choice: string | undefined): void;
}

const open = signal<OpenQuestion | undefined>(undefined);

export function askPerson<Choice extends string>(
  question: Question<Choice>,
): Promise<Choice | undefined> {
  open.peek()?.settle(undefined);
  return new Promise((resolve) => {
    open.value = {
      ...question,
      settle(choice) {
        open.value = undefined;
        resolve(choice as Choice | undefined);
      },
    };
  });
}

/** The native dialog traps focus and cancels on Escape. */
export function QuestionDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const question = open.value;
  useLayoutEffect(() => {
    if (question !== undefined) dialog.current?.showModal();
    else dialog.current?.close();
  }, [question]);
  return (
    <dialog
      ref={dialog}
      class="card question"
      aria-labelledby="question-text"
      onCancel={() => question?.settle(undefined)}
    >
      <p id="question-text">{question?.text}</p>
      <div class="line">
        <button type="button" onClick={() => question?.settle(undefined)}>
          Cancel
        </button>
        {Object.entries(question?.choices ?? {}).map(([choice, words]) => (
          <button
            key={choice}
            type="button"
            class="danger"
            onClick={() => question?.settle(choice)}
          >
            {words}
          </button>
        ))}
      </div>
    </dialog>
  );
}
