import type { ActionResult } from "@ccbridge/protocol/dashboard";

interface ReadFile {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly content: Uint8Array | { readonly problem: string };
}

export function shownFile({ content, ...facts }: ReadFile): ActionResult<"read-file"> {
  if ("problem" in content) return { ...facts, content: null, problem: content.problem };
  const text = textOf(content);
  return { ...facts, content: text, problem: text === null ? "it is not text" : null };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
