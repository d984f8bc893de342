import { copyString } from "../link/bounds.js";

export function plainText(text: string, maxLength: number): string {
  // Cut first, with slack for removed characters, to avoid scanning megabytes.
  const clean = text
    .slice(0, maxLength * 2)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
  return copyString(clean.slice(0, maxLength).replace(/[\ud800-\udbff]$/, ""));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
