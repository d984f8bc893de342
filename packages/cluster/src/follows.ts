import { createId, type ProviderPort, type Stop, type WatchSubject } from "@ccbridge/registry";
import type { Operations } from "./call-server.js";
import type { CallOptions } from "./caller.js";
import type { Listed } from "./directory.js";

type Call = (bridge: string, op: string, args: unknown, options: CallOptions) => Promise<unknown>;

const SEND_MS = 10_000;
/** Things that other bridges may follow here at once. */
const MAX_FOLLOWED = 4_096;

interface StartArgs {
  readonly id: string;
  readonly key: string;
  readonly subject: WatchSubject;
}

/**
 * Screens and files that are followed over bridges. A state is sent when the one before has arrived, and of those that
 * come meanwhile only the newest: a slow bridge gets fewer states, never old ones.
 */
export class Follows {
  readonly #call: Call;
  readonly #port: ProviderPort;
  readonly #listeners = new Map<string, (state: unknown) => void>();
  readonly #followed = new Map<string, { bridge: string; stop: Stop }>();

  constructor(port: ProviderPort, call: Call) {
    this.#port = port;
    this.#call = call;
  }

  readonly operations: Operations = {
    follow: (args: StartArgs, { from }) => this.#start(args, from),
    unfollow: ({ id }: { id: string }) => this.#stop(id),
    state: ({ id, state }: { id: string; state: unknown }) => {
      const listener = this.#listeners.get(id);
      listener?.(state);
      return listener !== undefined;
    },
  };

  async follow(
    { bridge, provider }: Listed,
    subject: WatchSubject,
    listener: (state: unknown) => void,
  ): Promise<Stop> {
    const id = createId();
    this.#listeners.set(id, listener);
    const args: StartArgs = { id, key: provider.key, subject };
    try {
      await this.#call(bridge, "follow", args, { timeoutMs: SEND_MS });
    } catch (error) {
      this.#listeners.delete(id);
      throw error;
    }
    return () => {
      if (!this.#listeners.delete(id)) return;
      this.#call(bridge, "unfollow", { id }, { timeoutMs: SEND_MS }).catch(() => {});
    };
  }

  /** A bridge is gone, and with it all that it follows. */
  gone(bridge: string): void {
    for (const [id, followed] of [...this.#followed])
      if (followed.bridge === bridge) this.#stop(id);
  }

  close(): void {
    for (const id of [...this.#followed.keys()]) this.#stop(id);
    this.#listeners.clear();
  }

  async #start({ id, key, subject }: StartArgs, bridge: string): Promise<void> {
    if (this.#followed.size >= MAX_FOLLOWED) {
      throw new Error(`other bridges follow ${MAX_FOLLOWED} things here, which is the limit`);
    }
    let latest: { state: unknown } | undefined;
    let isSending = false;
    const send = async () => {
      if (isSending) return;
      isSending = true;
      while (latest !== undefined && this.#followed.has(id)) {
        const { state } = latest;
        latest = undefined;
        const isWanted = await this.#call(bridge, "state", { id, state }, { timeoutMs: SEND_MS })
          // Too slow: the next state is tried.
          .catch((error) => error?.problem === "slow");
        if (isWanted === false) this.#stop(id);
      }
      isSending = false;
    };
    const followed = { bridge, stop: () => {} };
    this.#followed.set(id, followed);
    try {
      followed.stop = await this.#port.watch(key, subject, (state) => {
        latest = { state };
        void send();
      });
    } catch (error) {
      this.#followed.delete(id);
      throw error;
    }
    if (!this.#followed.has(id)) followed.stop();
  }

  #stop(id: string): void {
    const followed = this.#followed.get(id);
    this.#followed.delete(id);
    followed?.stop();
  }
}
