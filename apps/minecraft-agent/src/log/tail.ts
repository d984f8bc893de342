import { type FileHandle, open, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { messageOf } from "../errors.js";

const CHUNK_BYTES = 64 * 1_024;
const MAX_LINE_CHARACTERS = 32_768;
const MARK_BYTES = 128;

export interface LogTailOptions {
  path: string;
  pollMs: number;
  onLine(line: string): void;
  onProblem?(reason: string): void;
}

/**
 * Polls, because file watching fails on network drives and Docker volumes. Starts at the end of the
 * file; a rotated file is read to its end before the new one.
 */
export class LogTail {
  readonly #options: LogTailOptions;
  #file: FileHandle | undefined;
  #identity = "";
  #position = 0;
  #mark: Buffer = Buffer.alloc(0);
  #decoder = new StringDecoder("utf8");
  #partial = "";
  #overlong = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #polling: Promise<void> | undefined;
  #stopped = false;
  #hadProblem = false;

  constructor(options: LogTailOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#guarded(async () => {
      await this.#open();
      if (this.#file !== undefined) this.#position = (await this.#file.stat()).size;
      await this.#remember();
    });
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
    await this.#file?.close();
    this.#file = undefined;
  }

  poll(): Promise<void> {
    this.#polling ??= this.#guarded(() => this.#pollFile()).finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  /** Resolves when everything written before this call was passed on. */
  async readAll(): Promise<void> {
    // A poll in progress may already be past the end that matters.
    await this.#polling;
    if (!this.#stopped) await this.poll();
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      void this.poll().then(() => this.#schedule());
    }, this.#options.pollMs);
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#hadProblem = false;
    } catch (error) {
      // A missing log means that the server has not started yet.
      if (!this.#hadProblem) this.#options.onProblem?.(this.#explain(error as Error));
      this.#hadProblem = true;
    }
  }

  #explain(error: Error): string {
    const { path } = this.#options;
    return (error as NodeJS.ErrnoException).code === "ENOENT"
      ? `${path} does not exist yet; events will follow once the server writes it`
      : messageOf(error);
  }

  async #pollFile(): Promise<void> {
    if (this.#file === undefined) {
      await this.#open();
    } else if (await this.#isReplaced()) {
      await this.#read();
      this.#endLine();
      await this.#file.close();
      this.#file = undefined;
      await this.#open();
    }
    await this.#read();
  }

  async #open(): Promise<void> {
    this.#file = await open(this.#options.path, "r");
    const { dev, ino } = await this.#file.stat();
    this.#identity = `${dev}:${ino}`;
    this.#begin();
  }

  #begin(): void {
    this.#position = 0;
    this.#mark = Buffer.alloc(0);
    this.#decoder = new StringDecoder("utf8");
    this.#partial = "";
    this.#overlong = false;
  }

  async #isReplaced(): Promise<boolean> {
    try {
      const { dev, ino } = await stat(this.#options.path);
      return `${dev}:${ino}` !== this.#identity;
    } catch {
      // Renamed and not yet recreated: the rest of the old file can still be read.
      return false;
    }
  }

  async #read(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    const { size } = await file.stat();
    // Truncated, or truncated and refilled.
    if (size < this.#position || (size > this.#position && !(await this.#isSameBeginning()))) {
      this.#begin();
    }
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) break;
      this.#position += bytesRead;
      this.#receive(this.#decoder.write(buffer.subarray(0, bytesRead)));
    }
    await this.#remember();
  }

  async #remember(): Promise<void> {
    const wanted = Math.min(MARK_BYTES, this.#position);
    if (this.#mark.length < wanted) this.#mark = await this.#beginning(wanted);
  }

  async #isSameBeginning(): Promise<boolean> {
    return (await this.#beginning(this.#mark.length)).equals(this.#mark);
  }

  async #beginning(length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    const { bytesRead = 0 } = (await this.#file?.read(buffer, 0, length, 0)) ?? {};
    return buffer.subarray(0, bytesRead);
  }

  #receive(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    this.#partial += first;
    for (const next of rest) {
      this.#endLine();
      this.#partial = next;
    }
    if (this.#partial.length > MAX_LINE_CHARACTERS) {
      // Longer than any line that matters: drop the rest.
      this.#overlong = true;
      this.#partial = "";
    }
  }

  #endLine(): void {
    const line = this.#partial;
    const skip = this.#overlong || line === "";
    this.#partial = "";
    this.#overlong = false;
    if (!skip) this.#options.onLine(line);
  }
}
