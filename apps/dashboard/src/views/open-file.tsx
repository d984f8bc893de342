import type { AskResult } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Editor } from "../editor/editor.js";
import { ask } from "../wire/connection.js";
import { mayAct } from "../wire/hooks.js";

/** The hash of a file that does not exist yet. */
const ABSENT = "absent";

interface OpenFileProps {
  id: string;
  path: string;
  /** The tree has another file now. */
  onChanged(): void;
  onDeleted(): void;
}

/** A file in the editor. Saving fails when somebody else changed it meanwhile. */
export function OpenFile({ id, path, onChanged, onDeleted }: OpenFileProps) {
  const file = useSignal<AskResult<"read-file"> | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const state = useSignal<"saved" | "changed" | "saving" | "conflict">("saved");
  const isSure = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);

  const show = async (read: AskResult<"read-file">) => {
    file.value = read;
    state.value = "saved";
    if (read.content === null || place.current === null) return;
    const { openEditor } = await import("../editor/editor.js");
    editor.current?.close();
    if (place.current === null) return;
    editor.current = openEditor(place.current, {
      text: read.content,
      path,
      isReadOnly: !mayAct(),
      onChange: () => {
        if (state.peek() === "saved") state.value = "changed";
      },
      onSave: () => void save(),
    });
  };
  const load = () =>
    ask("read-file", { key: id, path }).then(show, (error: Error) => {
      if (!mayAct() || !/does not exist|no such file|not found/i.test(error.message)) {
        problem.value = error.message;
        return;
      }
      void show({ path, size: 0, hash: ABSENT, content: "", problem: null });
    });
  const save = async (isForced = false) => {
    if (editor.current === undefined || file.value === undefined) return;
    const content = editor.current.text();
    state.value = "saving";
    try {
      let { hash: expectedHash } = file.value;
      if (isForced) expectedHash = (await ask("read-file", { key: id, path })).hash;
      const { hash, size } = await ask("write-file", { key: id, path, content, expectedHash });
      const wasNew = file.value.hash === ABSENT;
      file.value = { ...file.value, hash, size, content };
      problem.value = undefined;
      state.value = editor.current.text() === content ? "saved" : "changed";
      if (wasNew) onChanged();
    } catch (error) {
      problem.value = (error as Error).message;
      state.value = /changed|hash|exists/i.test(problem.value) ? "conflict" : "changed";
    }
  };
  const remove = async () => {
    if (!isSure.value) {
      isSure.value = true;
      return;
    }
    try {
      await ask("delete-file", { key: id, path, expectedHash: file.value?.hash ?? "" });
      onDeleted();
    } catch (error) {
      isSure.value = false;
      problem.value = (error as Error).message;
    }
  };
  useEffect(() => {
    void load();
    return () => editor.current?.close();
  }, [id, path]);

  const read = file.value;
  return (
    <div class="open-file">
      <div class="job-head">
        <code class="path">{path}</code>
        <span class={`badge ${state.value}`} role="status">
          {state.value === "conflict" ? "changed by somebody else" : state.value}
        </span>
        {mayAct() && read !== undefined && read.hash !== ABSENT && (
          <button type="button" class="danger" onClick={() => void remove()}>
            {isSure.value ? "Really delete" : "Delete"}
          </button>
        )}
        {mayAct() && read?.content !== undefined && read.content !== null && (
          <button
            type="button"
            class="primary"
            disabled={state.value === "saved" && read.hash !== ABSENT}
            onClick={() => void save()}
          >
            Save
          </button>
        )}
      </div>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {state.value === "conflict" && (
        <p class="line">
          <button type="button" onClick={() => void load()}>
            Load their version
          </button>
          <button type="button" class="danger" onClick={() => void save(true)}>
            Overwrite with my version
          </button>
        </p>
      )}
      {read?.content === null && <p class="muted">This file cannot be shown: {read.problem}</p>}
      <div class="editor" ref={place} hidden={read?.content === null} />
    </div>
  );
}
