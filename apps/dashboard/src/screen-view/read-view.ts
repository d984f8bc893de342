import type { ScreenView } from "@ccbridge/protocol/screen";
import type { ToolResult } from "./host.js";

/** More cells than the bridge ever sends: a host that changed the answer must not hang the view. */
const MAX_CELLS = 100_000;

/** What the bridge answered; undefined when it is not the answer that a view gets. */
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

/** What went wrong, for a person: the lines below tell a model what to call next. */
export function problemOf(result: ToolResult): string {
  return textOf(result).split("\n", 1)[0] || "The bridge did not answer.";
}

/** The text of a result, as a model reads it. */
export function textOf({ content }: ToolResult): string {
  return (content ?? [])
    .flatMap(({ type, text }) => (type === "text" && text ? [text] : []))
    .join("\n");
}
