import type { Tool } from "./core/define.js";
import type { Kind } from "./core/kind.js";

/** What a client's model reads once, before it sees the tools. */
export function instructionsFor(tools: readonly Tool[], kinds: readonly Kind[]): string {
  const has = (wanted: string) =>
    tools.some(({ name, listedWith }) => name === wanted && listedWith === undefined);
  return kinds.flatMap(({ instructions }) => instructions?.(has) ?? []).join("\n\n");
}
