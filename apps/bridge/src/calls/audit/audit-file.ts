import {
  chmodSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";

export interface AuditFileOptions {
  path: string;
  maxBytes: number;
  /** Rotated files to keep; `audit.log.1` is the newest. */
  keep: number;
}

/** A file of JSON lines, readable for its owner only. Written lines survive a crash of the bridge. */
export class AuditFile {
  readonly #options: AuditFileOptions;
  #fd: number | undefined;
  #bytes = 0;

  constructor(options: AuditFileOptions) {
    this.#options = options;
    this.#open();
  }

  /** Writes one line synchronously. Throws when it cannot; the next line tries again. */
  write(line: Readonly<Record<string, unknown>>): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    if (this.#fd !== undefined && this.#bytes > 0) {
      if (this.#bytes + bytes.length > this.#options.maxBytes) this.#rotate();
    }
    const fd = this.#fd ?? this.#open();
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written);
    } catch (error) {
      // A partial line may have been written, as on a full disk: reopening ends it.
      this.close();
      throw error;
    } finally {
      this.#bytes += written;
    }
  }

  reopen(): void {
    this.close();
    this.#open();
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    const { path } = this.#options;
    const fd = openSync(path, "a+", 0o600);
    this.#fd = fd;
    // An existing file may have other permissions.
    if (process.platform !== "win32") chmodSync(path, 0o600);
    this.#bytes = fstatSync(fd).size;
    this.#endLine(fd);
    return fd;
  }

  #endLine(fd: number): void {
    const last = Buffer.alloc(1);
    if (this.#bytes === 0 || readSync(fd, last, 0, 1, this.#bytes - 1) === 0) return;
    if (last.toString() !== "\n") this.#bytes += writeSync(fd, "\n");
  }

  #rotate(): void {
    const { path, keep } = this.#options;
    this.close();
    rmSync(`${path}.${keep}`, { force: true });
    for (let number = keep - 1; number >= 0; number -= 1) {
      const from = number === 0 ? path : `${path}.${number}`;
      try {
        renameSync(from, `${path}.${number + 1}`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
    }
  }
}
