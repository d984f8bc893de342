import type { InputStep } from "@ccbridge/protocol";
import { isTypable } from "@ccbridge/protocol/screen";

const named: Readonly<Record<string, string>> = {
  Enter: "enter",
  Backspace: "backspace",
  Tab: "tab",
  Delete: "delete",
  Insert: "insert",
  Home: "home",
  End: "end",
  PageUp: "pageUp",
  PageDown: "pageDown",
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, `f${at + 1}`])),
};

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

export function stepOf({
  key,
  ctrlKey,
  altKey,
  metaKey,
  shiftKey,
}: KeyPress): InputStep | undefined {
  if (metaKey || key === "Escape") return undefined;
  const special = named[key];
  if (special !== undefined) {
    const held = `${ctrlKey ? "ctrl+" : ""}${shiftKey ? "shift+" : ""}${altKey ? "alt+" : ""}`;
    return { type: "key", key: `${held}${special}` };
  }
  if (key.length !== 1 || !isTypable(key)) return undefined;
  // Ctrl+Alt types characters on many keyboards; Ctrl+C and Ctrl+V belong to the browser.
  if (ctrlKey && !altKey) {
    return /^[abd-uw-z]$/i.test(key)
      ? { type: "key", key: `ctrl+${key.toLowerCase()}` }
      : undefined;
  }
  // Plain keys become key events, which games use; other characters become text.
  if (/^[a-z0-9]$/.test(key)) return { type: "key", key };
  return key === " " ? { type: "key", key: "space" } : { type: "text", text: key };
}
