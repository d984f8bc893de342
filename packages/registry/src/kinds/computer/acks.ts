import { encodeFrame } from "@ccbridge/protocol";

const DELAY_MS = 10;
const MAX_COLLECTED = 16;

export interface AcksOptions {
  readonly together: boolean;
  write(text: string): void;
}

/** Collects the acknowledgements of one link, so that several answers are acknowledged in one frame. */
export class Acks {
  readonly #options: AcksOptions;
  #ids: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AcksOptions) {
    this.#options = options;
  }

  add(id: string): void {
    this.#ids.push(id);
    if (this.#ids.length >= MAX_COLLECTED) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), DELAY_MS);
  }

  flush(): void {
    const ids = this.#ids;
    this.clear();
    if (ids.length === 0) return;
    const { together, write } = this.#options;
    if (together) return write(encodeFrame({ type: "ack", ids }));
    for (const id of ids) write(encodeFrame({ type: "ack", id }));
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#ids = [];
  }
}
