import type { LuaValue } from "./vm/literal.js";

/** The most events in a computer's queue; further ones are dropped silently. */
const QUEUE_LIMIT = 256;

export interface QueuedEvent {
  readonly name: string;
  /** Values from the host, or the number under which the VM keeps a program's own event. */
  readonly payload: readonly LuaValue[] | number;
}

export class EventQueue {
  #events: QueuedEvent[] = [];

  get length(): number {
    return this.#events.length;
  }

  /** False if the queue was full and the event is lost. */
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
