import type { AskResult } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../wire/connection.js";
import { mayAct } from "../wire/hooks.js";
import { OpenFile } from "./open-file.js";

type Entry = AskResult<"list-files">["entries"][number];

/** The disk of a computer: a tree, and a file to read or change. */
export function FilesTab({ id }: { id: string }) {
  const open = useSignal<string | undefined>(undefined);
  const version = useSignal(0);
  return (
    <div class="files">
      <div class="card tree">
        <Folder
          key={version.value}
          id={id}
          path="/"
          open={open.value}
          onOpen={(path) => {
            open.value = path;
          }}
        />
        {mayAct() && (
          <NewFile
            onCreate={(path) => {
              open.value = path;
            }}
          />
        )}
      </div>
      <div class="card">
        {open.value === undefined ? (
          <p class="muted">Choose a file.</p>
        ) : (
          <OpenFile
            key={open.value}
            id={id}
            path={open.value}
            onChanged={() => {
              version.value += 1;
            }}
            onDeleted={() => {
              open.value = undefined;
              version.value += 1;
            }}
          />
        )}
      </div>
    </div>
  );
}

interface FolderProps {
  id: string;
  path: string;
  open: string | undefined;
  onOpen(path: string): void;
}

function Folder({ id, path, open, onOpen }: FolderProps) {
  const listing = useSignal<AskResult<"list-files"> | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    ask("list-files", { key: id, path }).then(
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
