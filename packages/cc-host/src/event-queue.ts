import type { LuaValue } from "./vm/literal.js";

const QUEUE_LIMIT = 256;

export interface QueuedEvent {
  readonly name: string;
  readonly payload: readonly LuaValue[] | number;
}

export class EventQueue {
  #events: QueuedEvent[] = [];

  get length(): number {
    return this.#events.length;
  }

  push(event: QueuedEvent): boolean {
    if (this.#events.length >= QUEUE_LIMIT) return false;
    this.#events.push(event);
    return true;
  }

  shift(): QueuedEvent | undefined {
    return this.#events.shift();
  }

  clear(): void {
    this.#events = [];
  }
}
