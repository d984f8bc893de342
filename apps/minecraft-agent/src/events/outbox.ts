import { randomUUID } from "node:crypto";
import { encodeEvent } from "@ccbridge/protocol/minecraft";
import type { GameEvent } from "./watcher.js";

export interface OutboxLimits {
  maxEvents: number;
  maxBytes: number;
}

interface Kept {
  id: string;
  seq: number;
  eventType: string;
  text: string;
  wasSent: boolean;
}

/**
 * Events until the bridge acknowledges them, across reconnects. Numbered without gaps; when full,
 * the oldest are dropped and the gap in the count shows the bridge how many.
 */
export class Outbox {
  readonly #limits: OutboxLimits;
  #kept: Kept[] = [];
  #bytes = 0;
  #nextSeq = 0;
  #firstUnsettled = 0;
  #sent = 0;
  #lost = 0;

  constructor(limits: OutboxLimits) {
    this.#limits = limits;
  }

  set maxEvents(count: number) {
    this.#limits.maxEvents = count;
  }

  get lost(): number {
    return this.#lost;
  }

  get firstUnsettled(): number {
    return this.#firstUnsettled;
  }

  get count(): number {
    return this.#nextSeq;
  }

  get size(): number {
    return this.#kept.length;
  }

  push(event: GameEvent): void {
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    const id = randomUUID();
    const text = encodeEvent({ source: "minecraft", id }, { ...event, seq });
    this.#kept.push({ id, seq, eventType: event.eventType, text, wasSent: false });
    this.#bytes += text.length;
    const { maxEvents, maxBytes } = this.#limits;
    while (this.#kept.length > maxEvents || (this.#bytes > maxBytes && this.#kept.length > 1)) {
      if (this.#kept[0]?.wasSent === false) this.#lost += 1;
      this.#dropFirst();
    }
  }

  skip(count: number): void {
    this.#nextSeq += count;
    this.#lost += count;
  }

  next(): { text: string; eventType: string; seq: number } | undefined {
    const event = this.#kept[this.#sent];
    if (event === undefined) return undefined;
    this.#sent += 1;
    event.wasSent = true;
    return event;
  }

  /** Cumulative: a link keeps the order. */
  acknowledge(id: string): boolean {
    const index = this.#kept.findIndex((event, at) => at < this.#sent && event.id === id);
    for (let count = 0; count <= index; count++) this.#settleFirst();
    return index >= 0;
  }

  /** For a bridge that does not acknowledge. */
  forgetSent(): void {
    while (this.#sent > 0) this.#settleFirst();
  }

  restart(nextWanted = 0): void {
    this.#sent = 0;
    while ((this.#kept[0]?.seq ?? nextWanted) < nextWanted) this.#settleFirst();
  }

  #settleFirst(): void {
    this.#firstUnsettled = (this.#kept[0]?.seq ?? this.#firstUnsettled - 1) + 1;
    this.#dropFirst();
  }

  #dropFirst(): void {
    const first = this.#kept.shift();
    if (first === undefined) return;
    this.#bytes -= first.text.length;
    if (this.#sent > 0) this.#sent -= 1;
  }
}
