import { createId, type ProviderPort, type Stop, type WatchSubject } from "@ccbridge/registry";
import type { Operations } from "./call-server.js";
import { CallError, type CallOptions, CallProblem } from "./caller.js";
import type { Listed } from "./directory.js";

type Call = (bridge: string, op: string, args: unknown, options: CallOptions) => Promise<unknown>;

const SEND_MS = 10_000;
const RETRY_MS = 1_000;
/** How often a bridge asks whether what it follows is still followed there. */
const CHECK_MS = 5_000;
/** Things that other bridges may follow here at once. */
const MAX_FOLLOWED = 4_096;

interface StartArgs {
  readonly id: string;
  readonly key: string;
  readonly subject: WatchSubject;
}

interface Listening {
  readonly bridge: string;
  listener(state: unknown): void;
  /** The other bridge no longer follows it for this one. */
  ended(): void;
}

/**
 * Screens and files that are followed over bridges. A state is sent when the one before has arrived, and of those that
 * come meanwhile only the newest: a slow bridge gets fewer states, never old ones.
 */
export class Follows {
  readonly #call: Call;
  readonly #port: ProviderPort;
  readonly #listening = new Map<string, Listening>();
  readonly #followed = new Map<string, { bridge: string; stop: Stop }>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(port: ProviderPort, call: Call) {
    this.#port = port;
    this.#call = call;
  }

  readonly operations: Operations = {
    follow: (args: StartArgs, { from }) => this.#start(args, from),
    unfollow: ({ id }: { id: string }) => this.#stop(id),
    followed: ({ ids }: { ids: readonly string[] }) => ids.map((id) => this.#followed.has(id)),
    state: ({ id, state }: { id: string; state: unknown }) => {
      const listening = this.#listening.get(id);
      listening?.listener(state);
      return listening !== undefined;
    },
  };

  async follow(
    { bridge, provider }: Listed,
    subject: WatchSubject,
    { listener, ended }: Omit<Listening, "bridge">,
  ): Promise<Stop> {
    const id = createId();
    this.#listening.set(id, { bridge, listener, ended });
    const args: StartArgs = { id, key: provider.key, subject };
    try {
      await this.#call(bridge, "follow", args, { timeoutMs: SEND_MS });
    } catch (error) {
      this.#listening.delete(id);
      throw error;
    }
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#check(), CHECK_MS);
      this.#timer.unref?.();
    }
    return () => {
      if (!this.#listening.delete(id)) return;
      this.#call(bridge, "unfollow", { id }, { timeoutMs: SEND_MS }).catch(() => {});
    };
  }

  get size(): number {
    return this.#followed.size;
  }

  /** A bridge is gone, and with it all that it follows. */
  gone(bridge: string): void {
    for (const [id, followed] of [...this.#followed])
      if (followed.bridge === bridge) this.#stop(id);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const id of [...this.#followed.keys()]) this.#stop(id);
    this.#listening.clear();
  }

  /** A bridge that took this one for dead has stopped to follow, and does not know that it is wanted again. */
  #check(): void {
    const byBridge = new Map<string, string[]>();
    for (const [id, { bridge }] of this.#listening) {
      byBridge.set(bridge, [...(byBridge.get(bridge) ?? []), id]);
    }
    for (const [bridge, ids] of byBridge) {
      this.#call(bridge, "followed", { ids }, { timeoutMs: CHECK_MS }).then(
        (found) => {
          for (const [index, is] of (found as boolean[]).entries()) {
            if (!is) this.#listening.get(ids[index] ?? "")?.ended();
          }
        },
        () => {},
      );
    }
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
        try {
          const isWanted = await this.#call(bridge, "state", { id, state }, { timeoutMs: SEND_MS });
          if (isWanted === false) this.#stop(id);
        } catch (error) {
          if (!isPassing(error)) this.#stop(id);
          // The newest state is sent when it works again.
          latest ??= { state };
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref?.());
        }
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

function isPassing(error: unknown): boolean {
  const { problem } = error as CallError;
  return (
    error instanceof CallError && (problem === CallProblem.slow || problem === CallProblem.alone)
  );
}
