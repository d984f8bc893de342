import type { ActionResult } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isUnsaved } from "../editor/drafts.js";
import { fileHref, route } from "../route.js";
import { act } from "../wire/connection.js";
import { mayAct } from "../wire/hooks.js";
import { OpenFile } from "./open-file.js";
import { UnsavedOf } from "./unsaved.js";

type Entry = ActionResult<"list-files">["entries"][number];

export function FilesTab({ id, name }: { id: string; name: string }) {
  const version = useSignal(0);
  const { value: here } = route;
  const open = here.place === "computer" ? here.file : "";
  const show = (path: string) => {
    location.hash = fileHref(id, path);
  };
  return (
    <div class="files">
      <div class="card tree">
        <UnsavedOf id={id} open={open} />
        <Folder key={version.value} id={id} path="/" open={open} onOpen={show} />
        {mayAct() && <NewFile onCreate={show} />}
      </div>
      <div class="card">
        {open === "" ? (
          <p class="muted">Choose a file.</p>
        ) : (
          <OpenFile
            key={open}
            id={id}
            title={name}
            path={open}
            onChanged={() => {
              version.value += 1;
            }}
            onGone={() => show("")}
          />
        )}
      </div>
    </div>
  );
}

interface FolderProps {
  id: string;
  path: string;
  open: string;
  onOpen(path: string): void;
}

function Folder({ id, path, open, onOpen }: FolderProps) {
  const listing = useSignal<ActionResult<"list-files"> | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    act("list-files", { key: id, path }).then(
      (answer) => {
        listing.value = answer;
      },
      (error: Error) => {
        problem.value = error.message;
      },
    );
  }, [id, path]);
  if (problem.value !== undefined) return <p class="problem small">{problem.value}</p>;
  if (listing.value === undefined) return <p class="muted small">…</p>;
  const { entries, total } = listing.value;
  const sorted = [...entries].sort(
    (a, b) => Number(b.isDir) - Number(a.isDir) || a.path.localeCompare(b.path),
  );
  return (
    <ul>
      {sorted.map((entry) => (
        <li key={entry.path}>
          {entry.isDir ? (
            <FolderEntry id={id} entry={entry} open={open} onOpen={onOpen} />
          ) : (
            <button
              type="button"
              class="plain"
              aria-current={open === absolute(entry.path) ? "true" : undefined}
              onClick={() => onOpen(absolute(entry.path))}
            >
              {nameOf(entry)} <span class="muted small">{sizeText(entry.size)}</span>
              {isUnsaved(id, absolute(entry.path)) && (
                <>
                  {" "}
                  <span class="badge unsaved small">unsaved</span>
                </>
              )}
            </button>
          )}
        </li>
      ))}
      {entries.length === 0 && <li class="muted small">(empty)</li>}
      {total > entries.length && <li class="muted small">… and {total - entries.length} more</li>}
    </ul>
  );
}

function FolderEntry({ id, entry, open, onOpen }: Omit<FolderProps, "path"> & { entry: Entry }) {
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="plain folder"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {nameOf(entry)}/
      </button>
      {isOpen.value && <Folder id={id} path={absolute(entry.path)} open={open} onOpen={onOpen} />}
    </>
  );
}

function NewFile({ onCreate }: { onCreate(path: string): void }) {
  const path = useSignal("");
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault();
        onCreate(absolute(path.value.trim()));
        path.value = "";
      }}
    >
      <input
        aria-label="The path of a new file"
        placeholder="New file …"
        value={path.value}
        onInput={({ currentTarget }) => {
          path.value = currentTarget.value;
        }}
      />
      <button type="submit" disabled={path.value.trim() === ""}>
        Create
      </button>
    </form>
  );
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function nameOf({ path }: Entry): string {
  return path.split("/").at(-1) ?? path;
}

function sizeText(size: number | undefined): string {
  if (size === undefined) return "";
  return size < 1_024 ? `${size} B` : `${(size / 1_024).toFixed(1)} KB`;
}
