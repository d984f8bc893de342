import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { FromWorker, StoreMethod, WorkerOptions } from "./worker-messages.js";

type Ready = Extract<FromWorker, { type: "ready" }>;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface ThreadEvents {
  /** The file was damaged, and is kept there. */
  onDamage(path: string): void;
  /** The thread is gone, and with it the history. */
  onEnd(reason: string): void;
}

/** The thread of the store, seen from the bridge's thread: requests and their answers, in order. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<Ready>;
  #lastId = 0;
  #ended: string | undefined;

  constructor(options: WorkerOptions, events: ThreadEvents) {
    this.#worker = new Worker(workerFile(), { workerData: options, stdout: false });
    // A bridge that is done must not wait for it.
    this.#worker.unref();
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (message: FromWorker) => {
        if (message.type === "ready") resolve(message);
        else if (message.type === "refused") reject(new Error(message.reason));
        else if (message.type === "damaged") events.onDamage(message.damaged);
        else this.#settle(message);
      });
      const end = (reason: string) => {
        reject(new Error(reason));
        if (this.#ended !== undefined) return;
        this.#ended = reason;
        for (const { reject: fail } of this.#waiting.values()) fail(new Error(reason));
        this.#waiting.clear();
        events.onEnd(reason);
      };
      this.#worker.on("error", (error) => end(error.message));
      this.#worker.on("exit", () => end("the thread of the history ended"));
    });
    this.#ready.catch(() => {});
  }

  /** Rejects when the file cannot be used. */
  get ready(): Promise<Ready> {
    return this.#ready;
  }

  request(method: StoreMethod, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, method, args });
    });
  }

  async end(): Promise<void> {
    this.#ended ??= "the history is closed";
    await this.#worker.terminate();
  }

  #settle(message: Extract<FromWorker, { type: "answer" | "failed" }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "answer") waiting?.resolve(message.result);
    else waiting?.reject(new Error(message.reason));
  }
}

/** The built worker: beside this file, or, when this runs from source, in the build of the package. */
function workerFile(): URL {
  const beside = new URL("./store-worker.js", import.meta.url);
  if (existsSync(fileURLToPath(beside))) return beside;
  return new URL("../dist/store-worker.js", import.meta.url);
}
