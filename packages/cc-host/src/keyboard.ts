import type { LuaValue } from "./vm/literal.js";

type KeyEvent = readonly [name: string, ...args: LuaValue[]];

const ENTER = 257;
const SPACE = 32;
const UNKNOWN_KEY = 0;

function keyCode(char: string): number {
  if (char === "\n") return ENTER;
  if (char === " ") return SPACE;
  if (/^[a-z]$/i.test(char)) return char.toUpperCase().charCodeAt(0);
  if (/^[0-9]$/.test(char)) return char.charCodeAt(0);
  return UNKNOWN_KEY;
}

/** The next key is sent only after the last one was consumed. */
export class Keyboard {
  #pending: string[] = [];

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  type(text: string): void {
    this.#pending.push(...Array.from(text));
  }

  clear(): void {
    this.#pending = [];
  }

  next(): KeyEvent[] {
    const char = this.#pending.shift();
    if (char === undefined) return [];
    const code = keyCode(char);
    const events: KeyEvent[] = [["key", code, false]];
    if (char !== "\n") events.push(["char", (char.codePointAt(0) ?? 0) > 0xff ? "?" : char]);
    events.push(["key_up", code]);
    return events;
  }
}
