import type { ActionResult } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { draftKey, draftOf, dropDraft, isUnsaved, saved, writeDraft } from "../editor/drafts.js";
import type { Editor } from "../editor/editor.js";
import { act } from "../wire/connection.js";
import { mayAct } from "../wire/hooks.js";
import { discard } from "./unsaved.js";
import { Versions } from "./versions.js";

const ABSENT = "absent";

interface OpenFileProps {
  id: string;
  title: string;
  path: string;
  onChanged(): void;
  onGone(): void;
}

type ReadFile = ActionResult<"read-file">;

async function readNow(id: string, path: string): Promise<ReadFile> {
  const read = await act("read-file", { key: id, path });
  if (read.hash === ABSENT && !mayAct()) throw new Error(`${path} does not exist.`);
  return read;
}

/** Edits are a draft until saved. Saving fails when the file is no longer the version that the draft is based on. */
export function OpenFile({ id, title, path, onChanged, onGone }: OpenFileProps) {
  const file = useSignal<ReadFile | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const state = useSignal<"idle" | "saving" | "conflict">("idle");
  const isSure = useSignal(false);
  const showsVersions = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const isClosed = useRef(false);
  // The draft belongs to the viewer who opened the file, even after signing out.
  const key = useMemo(() => draftKey(id, path), [id, path]);

  const show = async (read: ReadFile) => {
    // Saved just before the connection was lost.
    if (draftOf(key)?.text === read.content) dropDraft(key);
    const draft = draftOf(key);
    file.value = read;
    state.value = draft === undefined || draft.baseHash === read.hash ? "idle" : "conflict";
    const text = draft?.text ?? read.content;
    if (text === null) return;
    const { openEditor } = await import("../editor/editor.js");
    editor.current?.close();
    if (place.current === null || isClosed.current) return;
    editor.current = openEditor(place.current, {
      text,
      path,
      isReadOnly: !mayAct(),
      onChange: typed,
      onSave: () => void save(),
    });
  };
  const typed = () => {
    if (editor.current === undefined || file.value === undefined) return;
    const text = editor.current.text();
    const { hash, content } = file.value;
    const baseHash = draftOf(key)?.baseHash ?? hash;
    if (text === content && baseHash === hash) dropDraft(key);
    else writeDraft(key, { title, text, baseHash });
  };
  const load = async () => {
    try {
      const read = await readNow(id, path);
      problem.value = undefined;
      await show(read);
    } catch (error) {
      problem.value = (error as Error).message;
      const draft = draftOf(key);
      if (draft === undefined) return;
      // The draft can still be edited; saving checks the version.
      await show({ path, size: 0, hash: draft.baseHash, content: null, problem: null });
    }
  };
  const save = async (expected?: string) => {
    if (editor.current === undefined || file.value === undefined) return;
    const content = editor.current.text();
    const expectedHash = expected ?? draftOf(key)?.baseHash ?? file.value.hash;
    state.value = "saving";
    try {
      const { hash, size } = await act("write-file", { key: id, path, content, expectedHash });
      saved(key, content, hash);
      file.value = { path, size, hash, content, problem: null };
      problem.value = undefined;
      state.value = "idle";
      if (expectedHash === ABSENT) onChanged();
    } catch (error) {
      problem.value = (error as Error).message;
      state.value = /changed|hash|exists/i.test(problem.value) ? "conflict" : "idle";
      if (state.value === "conflict") file.value = await readNow(id, path).catch(() => file.value);
    }
  };
  const overwrite = async () => {
    try {
      await save((await readNow(id, path)).hash);
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  const drop = async () => {
    if (draftOf(key) !== undefined && !(await discard(id, path))) return;
    if (file.value?.hash === ABSENT) onGone();
    else await load();
  };
  const remove = async () => {
    if (!isSure.value) {
      isSure.value = true;
      return;
    }
    try {
      await act("delete-file", { key: id, path, expectedHash: file.value?.hash ?? "" });
      dropDraft(key);
      onChanged();
      onGone();
    } catch (error) {
      isSure.value = false;
      problem.value = (error as Error).message;
    }
  };
  useEffect(() => {
    void load();
    return () => {
      isClosed.current = true;
      editor.current?.close();
    };
  }, [id, path]);

  const read = file.value;
  const isDraft = isUnsaved(id, path);
  const isNew = read?.hash === ABSENT;
  return (
    <div class="open-file">
      <div class="job-head">
        <code class="path">{path}</code>
        <Badge state={state.value} isDraft={isDraft} isNew={isNew} />
        {mayAct() && read !== undefined && !isNew && (
          <button type="button" class="danger" onClick={() => void remove()}>
            {isSure.value ? `Really delete${isDraft ? ", with the unsaved text" : ""}` : "Delete"}
          </button>
        )}
        <button
          type="button"
          aria-expanded={showsVersions.value}
          onClick={() => {
            showsVersions.value = !showsVersions.value;
          }}
        >
          Versions
        </button>
        {isDraft && (
          <button type="button" onClick={() => void drop()}>
            Discard
          </button>
        )}
        {mayAct() && read !== undefined && (isDraft || read.content !== null) && (
          <button
            type="button"
            class="primary"
            disabled={!isDraft && !isNew}
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
      {showsVersions.value && (
        <Versions
          id={id}
          path={path}
          onRestored={() => {
            onChanged();
            void load();
          }}
        />
      )}
      {state.value === "conflict" && (
        <div class="conflict" role="alert">
          <p>
            {isNew
              ? "This file was deleted on the computer after you began to change it."
              : "This file was changed on the computer after you began to change it."}{" "}
            Your text is below.
          </p>
          <p class="line">
            <button type="button" onClick={() => void drop()}>
              {isNew ? "Discard my version" : "Load their version"}
            </button>
            {mayAct() && (
              <button type="button" class="danger" onClick={() => void overwrite()}>
                {isNew ? "Save my version" : "Overwrite with my version"}
              </button>
            )}
          </p>
        </div>
      )}
      {read?.content === null && read.problem !== null && (
        <p class="muted">This file cannot be shown: {read.problem}</p>
      )}
      <div class="editor" ref={place} hidden={read?.content === null && !isDraft} />
    </div>
  );
}

interface BadgeProps {
  state: "idle" | "saving" | "conflict";
  isDraft: boolean;
  isNew: boolean;
}

function Badge({ state, isDraft, isNew }: BadgeProps) {
  const idle = isDraft ? "unsaved" : "saved";
  const words = { saving: "saving", conflict: "changed on the computer", idle };
  return (
    <span class={`badge ${state === "idle" ? idle : state}`} role="status">
      {isNew && !isDraft && state === "idle" ? "new" : words[state]}
    </span>
  );
}
