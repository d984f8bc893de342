import { createHash } from "node:crypto";
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import type { Cluster } from "@ccbridge/cluster";
import type { TokenSource } from "../auth/token-source.js";

interface SharedTokens {
  readonly text: string;
  /** When the file was changed, as milliseconds since 1970. */
  readonly at: number;
}

const POLL_MS = 200;
const FILE = "tokens";
const REMOVED = "removed-tokens";

/**
 * The file of tokens is the same on all bridges: the newest one counts, and is written by each to its own file. A token
 * that was removed from any of them stays removed, also if the newest file still has it, until a person adds it again.
 */
export function shareTokens(cluster: Cluster, tokens: TokenSource, path: string): () => void {
  if (path === "") return () => {};
  const { shared } = cluster;
  let seen: string | undefined;
  let isListed = false;
  const isRemoved = (line: string) => {
    const name = nameOf(line);
    return name !== undefined && shared.get(REMOVED, name) === true;
  };
  /** Not a change of this file: its time stays that of the change by a person, here or elsewhere. */
  const write = ({ text, at }: SharedTokens) => {
    seen = text;
    const scratch = `${path}.shared`;
    writeFileSync(scratch, text, { mode: 0o600 });
    utimesSync(scratch, at / 1_000, at / 1_000);
    renameSync(scratch, path);
    tokens.reload();
  };
  /** What a person changed in the file of this bridge. */
  const note = (text: string) => {
    const [before, after] = [namesIn(seen ?? text), namesIn(text)];
    for (const name of before) if (!after.has(name)) shared.put(REMOVED, name, true);
    for (const name of after) {
      if (!before.has(name) && shared.get(REMOVED, name) === true) shared.put(REMOVED, name, false);
    }
    seen = text;
  };
  const refresh = () => {
    const own = read(path);
    if (own === undefined) return;
    note(own.text);
    if (!isListed) return;
    const known = shared.get(FILE, "file") as SharedTokens | undefined;
    const isNewer = known !== undefined && known.at > own.at && known.text !== own.text;
    const { text, at } = isNewer ? known : own;
    const kept = text
      .split("\n")
      .filter((line) => !isRemoved(line))
      .join("\n");
    if (kept !== own.text) write({ text: kept, at });
    if (kept === known?.text) return;
    shared.put(FILE, "file", { text: kept, at } satisfies SharedTokens);
    if (kept === own.text) tokens.reload();
  };
  shared.follow(FILE, {
    set: () => isListed && refresh(),
    listed: () => {
      isListed = true;
      refresh();
    },
  });
  shared.follow(REMOVED, { set: () => isListed && refresh() });
  const timer = setInterval(refresh, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function read(path: string): SharedTokens | undefined {
  try {
    return { text: readFileSync(path, "utf8"), at: Math.round(statSync(path).mtimeMs) };
  } catch {
    return undefined;
  }
}

/** A name for the token of a line that does not tell the token. */
function nameOf(line: string): string | undefined {
  const [token = ""] = line.trim().split(/\s/, 1);
  if (token === "" || token.startsWith("#")) return undefined;
  return createHash("sha256").update(token).digest("base64url");
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").flatMap((line) => nameOf(line) ?? []));
}
