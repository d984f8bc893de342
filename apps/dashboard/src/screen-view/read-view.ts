import type { ScreenView } from "@ccbridge/protocol/screen";
import type { ToolResult } from "./host.js";

/** More than the bridge ever sends: a corrupted answer must not hang the view. */
const MAX_CELLS = 100_000;

export function readView({ structuredContent }: ToolResult): ScreenView | undefined {
  const view = structuredContent as Partial<ScreenView> | null | undefined;
  if (typeof view?.version !== "string" || typeof view.name !== "string") return undefined;
  const { screen } = view;
  if (screen !== undefined) {
    const { width, height, text, cursor } = screen;
    const isWhole = Number.isSafeInteger(width) && Number.isSafeInteger(height);
    if (!isWhole || width < 1 || height < 1 || width * height > MAX_CELLS) return undefined;
    if (typeof text !== "string" || typeof cursor !== "object") return undefined;
  }
  return view as ScreenView;
}

/** Only the first line: the others are instructions for a model. */
export function problemOf(result: ToolResult): string {
  return textOf(result).split("\n", 1)[0] || "The bridge did not answer.";
}

export function textOf({ content }: ToolResult): string {
  return (content ?? [])
    .flatMap(({ type, text }) => (type === "text" && text ? [text] : []))
    .join("\n");
}
