import { ServerErrorCode } from "@ccbridge/protocol/minecraft";
import { Backoff } from "../backoff.js";
import { messageOf, RequestError } from "../errors.js";
import type { Log } from "../logging.js";
import {
  type RconAddress,
  RconConnection,
  RconTimeoutError,
  WrongPasswordError,
} from "./connection.js";
import { MAX_BODY_BYTES } from "./packet.js";

const MAX_QUEUE = 128;

export interface RconClientOptions extends RconAddress {
  log: Log;
  timeoutMs: number;
  retry: { firstMs: number; maxMs: number; wrongPasswordMs: number };
  onConnect?(): void;
}

/** One connection, kept open: the server logs every connect. */
export class RconClient {
  readonly #options: RconClientOptions;
  readonly #backoff: Backoff;
  readonly #stop = new AbortController();
  #connection: RconConnection | undefined;
  #connecting: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #problem = "not connected yet";
  #queue: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #answerMs: number;

  constructor(options: RconClientOptions) {
    this.#options = options;
    this.#answerMs = options.timeoutMs;
    this.#backoff = new Backoff(options.retry);
  }

  get connected(): boolean {
    return this.#connection !== undefined;
  }

  get problem(): string {
    return this.#problem;
  }

  start(): Promise<void> {
    return this.#connect();
  }

  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#retry);
    this.#problem = "the agent is stopping";
    this.#connection?.close();
  }

  /** From now on, and never less than the timeout of a connection. */
  answerWithin(ms: number): void {
    this.#answerMs = Math.max(this.#options.timeoutMs, ms);
  }

  async run(command: string, { timeoutMs = this.#answerMs } = {}): Promise<string> {
    if (Buffer.byteLength(command) > MAX_BODY_BYTES) {
      throw new RequestError(
        ServerErrorCode.invalidCommand,
        `The command is longer than the ${MAX_BODY_BYTES} bytes that RCON accepts.`,
      );
    }
    if (this.#queued >= MAX_QUEUE) {
      throw new RequestError(
        ServerErrorCode.serverError,
        "Too many commands are waiting for the server.",
      );
    }
    this.#queued += 1;
    const deadline = performance.now() + timeoutMs;
    const turn = this.#queue.then(() => this.#run(command, deadline));
    this.#queue = turn
      .catch(() => {})
      .finally(() => {
        this.#queued -= 1;
      });
    return turn;
  }

  async #run(command: string, deadline: number): Promise<string> {
    if (this.#connecting !== undefined) await this.#connecting;
    const connection = this.#connection;
    if (connection === undefined) throw this.#notConnected();
    const timeoutMs = Math.ceil(deadline - performance.now());
    if (timeoutMs <= 0) {
      throw new RequestError(ServerErrorCode.timeout, "The server was busy with other commands.");
    }
    try {
      return await connection.run(command, timeoutMs);
    } catch (error) {
      const late = error instanceof RconTimeoutError;
      throw new RequestError(
        late ? ServerErrorCode.timeout : ServerErrorCode.connectionError,
        late
          ? "The Minecraft server did not answer in time. The command may still have run."
          : `RCON failed: ${messageOf(error)}. The command may still have run.`,
        { cause: error, mayHaveRun: true },
      );
    }
  }

  #notConnected(): RequestError {
    const { host, port } = this.#options;
    return new RequestError(
      ServerErrorCode.connectionError,
      `The Minecraft server cannot be reached by RCON at ${host}:${port}: ${this.#problem}.`,
    );
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #attempt(): Promise<void> {
    const { log, host, port, timeoutMs } = this.#options;
    try {
      const { signal } = this.#stop;
      const connection = await RconConnection.open(this.#options, { timeoutMs, signal });
      if (signal.aborted) {
        connection.close();
        return;
      }
      connection.onClose = (reason) => this.#lost(reason);
      this.#connection = connection;
      log.info("RCON connected", { host, port });
      this.#backoff.reset();
      this.#options.onConnect?.();
    } catch (error) {
      this.#failed(error as Error);
    }
  }

  #lost(reason: Error): void {
    this.#connection = undefined;
    this.#failed(reason);
  }

  #failed(error: Error): void {
    if (this.#stop.signal.aborted) return;
    const { log, host, port, retry } = this.#options;
    this.#problem = explainRconError(error);
    const wrong = error instanceof WrongPasswordError;
    const backoff = this.#backoff.next();
    const waitMs = wrong ? Math.max(backoff, retry.wrongPasswordMs) : backoff;
    log.warn("RCON is not connected", { host, port, reason: this.#problem, retryMs: waitMs });
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#connect(), waitMs);
  }
}

export function explainRconError(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof WrongPasswordError) {
    return "the RCON password is wrong (a change in server.properties needs a restart of the server)";
  }
  return code === "ECONNREFUSED"
    ? "the connection was refused (is the server running, with enable-rcon=true?)"
    : error.message;
}
