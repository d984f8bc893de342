import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { readTokenText } from "./token-file.js";
import { readTokenLine } from "./token-line.js";

/** Says why a token file stays unchanged. */
export class TokenFileError extends Error {
  override readonly name = "TokenFileError";
}

export interface EditedFile {
  readonly path: string;
  /** Tokens of the settings, whose names are taken. */
  readonly own: readonly string[];
}

/** Adds a line. True when it is the first of a new file. */
export function addToken({ path, own }: EditedFile, line: string): boolean {
  const before = textOf(path);
  const separator = before === undefined || before === "" || before.endsWith("\n") ? "" : "\n";
  write(path, `${before ?? ""}${separator}${line}\n`, own);
  return before === undefined;
}

export function removeToken({ path, own }: EditedFile, name: string): void {
  const { lines, index } = lineOf(path, name);
  write(path, lines.toSpliced(index, 1).join("\n"), own);
}

/** Replaces a token and keeps its rights. */
export function rotateToken({ path, own }: EditedFile, name: string, token: string): void {
  const { lines, index, line } = lineOf(path, name);
  write(
    path,
    lines
      .with(
        index,
        line.replace(/\S+/, () => token),
      )
      .join("\n"),
    own,
  );
}

function lineOf(path: string, name: string) {
  const lines = (textOf(path) ?? "").split(/\r?\n/);
  const index = lines.findIndex((text, at) => {
    const line = text.replace(/^\ufeff/, "").trim();
    if (line === "" || line.startsWith("#")) return false;
    const read = readTokenLine(line, `line-${at + 1}`);
    return typeof read !== "string" && read.client.name === name;
  });
  if (index < 0) throw new TokenFileError(`${path} has no token with the name ${name}.`);
  return { lines, index, line: lines[index] ?? "" };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new TokenFileError((error as Error).message);
  }
}

function write(path: string, text: string, own: readonly string[]): void {
  // The bridge rejects the whole file if one line is invalid.
  const [problem] = readTokenText(path, text, own).problems;
  if (problem !== undefined) throw new TokenFileError(`The file could not be used: ${problem}`);
  try {
    replaceFile(path, text);
  } catch (error) {
    throw new TokenFileError((error as Error).message);
  }
}

/** Owner and mode stay: a bridge that runs as another user must still be able to read the file. */
function replaceFile(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A link stays a link.
  const target = before === undefined ? path : realpathSync(path);
  const { uid, gid } = before ?? statSync(dirname(path));
  const scratch = `${target}.new`;
  try {
    writeFileSync(scratch, text, { mode: 0o600, flush: true });
    if (process.platform !== "win32") {
      const made = statSync(scratch);
      // A new file that root makes belongs to the owner of its folder.
      const isRoot = process.getuid?.() === 0;
      if ((before !== undefined || isRoot) && (made.uid !== uid || made.gid !== gid)) {
        chownSync(scratch, uid, gid);
      }
      if (before !== undefined) chmodSync(scratch, before.mode & 0o777);
    }
    renameSync(scratch, target);
  } catch (error) {
    rmSync(scratch, { force: true });
    const mayNotReplace = ["EACCES", "EPERM", "EROFS", "EBUSY"].includes(codeOf(error) ?? "");
    if (before === undefined || !mayNotReplace) throw error;
    // A file that may be written in a folder that may not, or of another owner.
    writeFileSync(target, text, { flush: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
