import { draftKey, draftOf, dropDraft, type UnsavedFile, unsavedFiles } from "../editor/drafts.js";
import { CopyButton } from "../parts/copy.js";
import { askPerson } from "../parts/question.js";
import { fileHref } from "../route.js";

export function AllUnsaved() {
  const files = unsavedFiles.value;
  if (files.length === 0) return null;
  return (
    <div class="card unsaved-files">
      <h2>Unsaved text</h2>
      <ul>
        {files.map(({ computer, title, path }) => (
          <li key={`${computer} ${path}`}>
            <a href={fileHref(computer, path)}>
              {title}: {path}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function UnsavedOf({ id, open }: { id: string; open: string }) {
  const files = filesOf(id);
  if (files.length === 0) return null;
  return (
    <div class="unsaved-files">
      <h2>Unsaved</h2>
      <ul>
        {files.map(({ path }) => (
          <li key={path}>
            <a href={fileHref(id, path)} aria-current={path === open ? "true" : undefined}>
              {path}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function UnsavedOfAway({ id }: { id: string }) {
  const files = filesOf(id);
  if (files.length === 0) return null;
  return (
    <div class="card unsaved-files">
      <h2>Unsaved text</h2>
      <p class="muted">It can be saved when the computer is back.</p>
      <ul>
        {files.map(({ path }) => (
          <li key={path} class="job-head">
            <code>{path}</code>
            <CopyButton
              text={() => draftOf(draftKey(id, path))?.text ?? ""}
              label={`the unsaved text of ${path}`}
            />
            <button
              type="button"
              class="danger"
              aria-label={`Discard the unsaved text of ${path}`}
              onClick={() => void discard(id, path)}
            >
              Discard
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

export async function discard(id: string, path: string): Promise<boolean> {
  const answer = await askPerson({
    text: `Discard the unsaved text of ${path}? It cannot be brought back.`,
    choices: { discard: "Discard it" },
  });
  if (answer === "discard") dropDraft(draftKey(id, path));
  return answer === "discard";
}

export function filesOf(id: string): readonly UnsavedFile[] {
  return unsavedFiles.value.filter(({ computer }) => computer === id);
}
