import {
  type CommandFrame,
  deadlineOf,
  encodeFailure,
  encodeResponse,
  type QueryFrame,
  REQUEST_TIMEOUT_MS,
  ServerErrorCode,
  stepsOf,
} from "@ccbridge/protocol/minecraft";
import { RequestError, toRequestError } from "../errors.js";
import type { Log } from "../logging.js";

/** `signal` aborts when the response is due or no longer needed: work in several steps ends there. */
export type Serve = (
  request: { name: string; args: unknown },
  signal: AbortSignal,
) => Promise<unknown>;

const MAX_RUNNING = 32;
const MAX_REMEMBERED = 256;

export interface RequestsOptions {
  serve: Serve;
  log: Log;
  send(text: string): void;
}

/** Every request is answered once and served at most once. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #seen = new Set<string>();
  #link = new AbortController();
  #running = 0;
  timeoutMs = REQUEST_TIMEOUT_MS;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  unlinked(): void {
    this.#link.abort();
    this.#link = new AbortController();
    this.#seen.clear();
  }

  receive(frame: CommandFrame | QueryFrame): void {
    const { id, type } = frame;
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > MAX_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
    const name = frame.type === "command" ? frame.payload.command : frame.payload.query;
    const { args } = frame.payload;
    void this.#answer({ id, type, name, args });
  }

  async #answer(request: { id: string; type: string; name: string; args: unknown }): Promise<void> {
    const { log, send } = this.#options;
    const { id, type, name, args } = request;
    const { signal } = this.#link;
    const sender = { source: "minecraft", id } as const;
    const started = performance.now();
    let text: string;
    try {
      const data = await this.#serve({ name, args }, signal);
      text = encodeResponse(sender, data);
      const ms = Math.round(performance.now() - started);
      log.info("forwarded", { type, source: "mcp", to: "minecraft", name, ms });
    } catch (error) {
      const failure = toRequestError(error);
      const { code, message, details } = failure;
      text = encodeFailure(sender, { code, message, details });
      const { stack } = error instanceof Error ? error : failure;
      log.warn("failed", {
        type,
        source: "mcp",
        to: "minecraft",
        name,
        args,
        code,
        message,
        stack,
      });
    }
    if (!signal.aborted) send(text);
  }

  async #serve(request: { name: string; args: unknown }, unlinked: AbortSignal): Promise<unknown> {
    if (this.#running >= MAX_RUNNING) {
      throw new RequestError(ServerErrorCode.serverError, "The agent is busy with other requests.");
    }
    this.#running += 1;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () =>
          reject(new RequestError(ServerErrorCode.timeout, "The server did not answer in time.")),
        deadlineOf(this.timeoutMs),
      );
    });
    const signal = AbortSignal.any([unlinked, AbortSignal.timeout(stepsOf(this.timeoutMs))]);
    const work = this.#options.serve(request, signal).finally(() => {
      this.#running -= 1;
    });
    try {
      return await Promise.race([work, deadline]);
    } finally {
      clearTimeout(timer);
      work.catch(() => {});
    }
  }
}
