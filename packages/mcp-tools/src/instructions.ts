import type { Tool } from "./core/define.js";
import type { Kind } from "./core/kind.js";

const aboutHistory =
  'get-history answers what happened before: "what changed today?", "what happened at the gate around 22:00?".';

/** What a client's model reads once, before it sees the tools. */
export function instructionsFor(tools: readonly Tool[], kinds: readonly Kind[]): string {
  const has = (wanted: string) =>
    tools.some(({ name, listedWith }) => name === wanted && listedWith === undefined);
  const parts = kinds.flatMap(({ instructions }) => instructions?.(has) ?? []);
  return [...parts, ...(has("get-history") ? [aboutHistory] : [])].join("\n\n");
}
