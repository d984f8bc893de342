import type { FileSystem } from "./file-system.js";

export class DiskAccess {
  readonly #disk: FileSystem;

  constructor(disk: FileSystem) {
    this.#disk = disk;
  }

  read(path: string): string {
    return this.readBytes(path).toString("utf8");
  }

  readBytes(path: string): Buffer {
    return Buffer.from(this.#disk.readFile(this.#disk.resolve(path)), "latin1");
  }

  write(path: string, content: string | Uint8Array): void {
    const clean = this.#disk.resolve(path);
    const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : Buffer.from(content);
    const problem = this.#disk.prepareWrite(clean, true);
    if (problem !== undefined) throw new Error(problem);
    this.#disk.setContent(clean, bytes.toString("latin1"));
  }

  exists(path: string): boolean {
    return this.#disk.exists(this.#disk.resolve(path));
  }

  list(path: string): string[] {
    return this.#disk.list(this.#disk.resolve(path));
  }

  delete(path: string): void {
    this.#disk.delete(this.#disk.resolve(path));
  }

  get freeSpace(): number {
    return this.#disk.freeSpace;
  }
}
