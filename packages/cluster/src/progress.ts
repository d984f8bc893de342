import { createId } from "@ccbridge/registry";
import type { Asking } from "./ask-bridges.js";
import type { Operations } from "./call-server.js";

type Listener = (message: string) => void;

const SEND_MS = 5_000;

/**
 * What providers report while a call to them runs on another bridge. The next report is sent when the one before has
 * arrived, and of those that come meanwhile only the newest.
 */
export class Progress {
  readonly #call: Asking["call"];
  readonly #listeners = new Map<string, Listener>();

  constructor(call: Asking["call"]) {
    this.#call = call;
  }

  readonly operations: Operations = {
    progress: ({ id, message }: { id: string; message: string }) =>
      this.#listeners.get(id)?.(message),
  };

  /** Waits for what a call reports: under this id, until it ends. */
  async during<T>(
    listener: Listener | undefined,
    act: (id: string | undefined) => Promise<T>,
  ): Promise<T> {
    if (listener === undefined) return act(undefined);
    const id = createId();
    this.#listeners.set(id, listener);
    try {
      return await act(id);
    } finally {
      this.#listeners.delete(id);
    }
  }

  /** Reports to the bridge that called. */
  to(bridge: string, id: string | undefined): Listener | undefined {
    if (id === undefined) return undefined;
    let newest: string | undefined;
    let isSending = false;
    const send = async () => {
      isSending = true;
      while (newest !== undefined) {
        const message = newest;
        newest = undefined;
        await this.#call(bridge, "progress", { id, message }, { timeoutMs: SEND_MS }).catch(
          () => {},
        );
      }
      isSending = false;
    };
    return (message) => {
      newest = message;
      if (!isSending) void send();
    };
  }
}
