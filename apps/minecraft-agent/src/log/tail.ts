import { type FileHandle, open, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { messageOf } from "../errors.js";

const CHUNK_BYTES = 64 * 1_024;
const MAX_LINE_CHARACTERS = 32_768;
/** Enough of a file's beginning to distinguish it from its predecessor. */
const MARK_BYTES = 128;

export interface LogTailOptions {
  path: string;
  pollMs: number;
  onLine(line: string): void;
  /** Called when the file cannot be read, once until it can again. */
  onProblem?(reason: string): void;
}

/**
 * Follows a log by polling: watching fails on network drives and Docker volumes. Begins at the end of the
 * file. When the file is replaced, the old one is read to its end before the new one is begun.
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

  /** Resolves once the end of the file is known: later lines will be told. */
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

  /** Looks for more at once. */
  poll(): Promise<void> {
    this.#polling ??= this.#guarded(() => this.#look()).finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  /** Resolves when everything that was written before this call has been passed on. */
  async readAll(): Promise<void> {
    // One that is under way may be past the end that matters.
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
      // A log that is not there yet is one of a server that has not started.
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

  async #look(): Promise<void> {
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
      // Renamed, and the new one is not there yet: what is left of the old one can still be read.
      return false;
    }
  }

  async #read(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    const { size } = await file.stat();
    // Emptied in place, or emptied and filled again: the beginning is another.
    if (size < this.#position || (size > this.#position && !(await this.#isSameBeginning()))) {
      this.#begin();
    }
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) break;
      this.#position += bytesRead;
      this.#take(this.#decoder.write(buffer.subarray(0, bytesRead)));
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

  #take(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    this.#partial += first;
    for (const next of rest) {
      this.#endLine();
      this.#partial = next;
    }
    if (this.#partial.length > MAX_LINE_CHARACTERS) {
      // Longer than any line that matters: its end is not kept.
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
