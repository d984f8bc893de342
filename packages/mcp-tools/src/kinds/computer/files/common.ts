import { type ComputerView, computerName } from "@ccbridge/registry";
import { z } from "zod";
import { isSafeText, toBase64, utf8 } from "../../../format/bytes.js";
import { inline } from "../../../format/set-apart.js";
import { OUTPUT_BYTES } from "../../../format/text.js";

/** Falls back to base64 for all texts when one is not safe on old computers. */
export function sendable<T extends Record<string, string>>(texts: T): T & { encoding?: "base64" } {
  if (Object.values(texts).every(isSafeText)) return texts;
  const encoded = Object.entries(texts).map(([name, text]) => [name, toBase64(utf8(text))]);
  return { ...(Object.fromEntries(encoded) as T), encoding: "base64" };
}

const MAX_PATH_LENGTH = 4_096;

export const path = z
  .string()
  .min(1)
  .max(MAX_PATH_LENGTH)
  .meta({ description: "Path from the root of the disk.", obvious: true });

export const listedPath = z.string().min(1).max(MAX_PATH_LENGTH);

export const folder = path.default("/").describe("Folder, or one file.");

export const expectedHash = z
  .string()
  .min(1)
  .optional()
  .describe('Fail unless the file has this hash; "absent": unless it is new.');

export const hash = z.string().describe("Changes with the content; pass it as expectedHash.");

export const space = {
  freeSpace: z
    .union([z.int(), z.literal("unlimited")])
    .optional()
    .describe("Bytes left on that disk. Every file and folder takes at least 500."),
  capacity: z.int().optional().describe("The disk's capacity in bytes."),
};

interface Space {
  freeSpace?: number | string | undefined;
  capacity?: number | undefined;
}

export function spaceOf({ freeSpace, capacity }: Space) {
  return {
    ...(typeof freeSpace === "number" ? { freeSpace: Math.floor(freeSpace) } : {}),
    ...(freeSpace === "unlimited" ? { freeSpace } : {}),
    ...(capacity === undefined ? {} : { capacity: Math.floor(capacity) }),
  };
}

const NEARLY_FULL = 0.1;
const DISK_BYTES = 1_000_000;

export function spaceText({ freeSpace, capacity }: Space, always = false): string | undefined {
  if (typeof freeSpace !== "number") return undefined;
  if (!always && freeSpace >= (capacity ?? DISK_BYTES) * NEARLY_FULL) return undefined;
  const of = capacity === undefined ? "" : ` of ${capacity}`;
  return `${freeSpace}${of} bytes free; every file and folder takes at least 500.`;
}

export function nameOf({ provider }: ComputerView): string {
  return computerName(provider);
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function countText({ files, folders }: { files: number; folders: number }): string {
  if (folders === 0) return plural(files, "file");
  if (files === 0) return plural(folders, "folder");
  return `${plural(files, "file")} and ${plural(folders, "folder")}`;
}

export function joinLines(lines: readonly (string | undefined)[]): string {
  return lines.filter((line) => line !== undefined).join("\n");
}

/** Never shortened: other tools take it as an argument. */
export function shown(path: string): string {
  return inline(path, MAX_PATH_LENGTH);
}

export function fitting<T>(items: readonly T[], sizeOf: (item: T) => number): T[] {
  let room = OUTPUT_BYTES + 1_500;
  const kept: T[] = [];
  for (const item of items) {
    room -= sizeOf(item);
    if (room < 0 && kept.length > 0) break;
    kept.push(item);
  }
  return kept;
}

export const counts = {
  files: z.int().describe("Files affected, including those in folders."),
  folders: z.int().describe("Folders affected."),
};

export const size = z.int().describe("The file's size in bytes now.");

/** What runs by itself at boot, before mcp-computer does. */
const startupFile = /^\/?startup(?:\.lua|\/(?!zz-mcp-computer\.lua$).+)?$/i;

export function startupText(...paths: readonly string[]): string | undefined {
  if (!paths.some((path) => startupFile.test(path))) return undefined;
  return "This runs at every boot before mcp-computer: if it loops or waits for something, the computer does not link again. run-program with atBoot true starts a program without that risk.";
}
