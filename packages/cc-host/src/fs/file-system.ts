import type { Features } from "../version.js";
import { LuaError } from "../vm/lua-vm.js";
import { romFiles } from "../vm/rom.js";
import { isOutsideRoot, parentPath, sanitizePath } from "./paths.js";

/** Charged against the quota per file or directory. */
const MINIMUM_FILE_SIZE = 500;
export const DEFAULT_CAPACITY = 1_000_000;

interface FileNode {
  content: string;
  readonly created: number;
  modified: number;
}

interface DirectoryNode {
  readonly created: number;
}

type Node = FileNode | DirectoryNode;

export interface Attributes {
  readonly size: number;
  readonly isDir: boolean;
  readonly isReadOnly: boolean;
  readonly created: number;
  readonly modified: number;
}

function isFile(node: Node | undefined): node is FileNode {
  return node !== undefined && "content" in node;
}

function romTree(): ReadonlyMap<string, Node> {
  const tree = new Map<string, Node>([["rom", { created: 0 }]]);
  for (const [path, content] of romFiles("mount")) {
    const full = `rom/${path}`;
    for (let dir = parentPath(full); dir !== ""; dir = parentPath(dir))
      tree.set(dir, { created: 0 });
    tree.set(full, { content, created: 0, modified: 0 });
  }
  if (!tree.has("rom/autorun")) tree.set("rom/autorun", { created: 0 });
  return tree;
}

function failed(path: string, reason: string): LuaError {
  return new LuaError(`/${path}: ${reason}`);
}

export class FileSystem {
  readonly capacity: number;
  readonly #nodes = new Map<string, Node>();
  readonly #rom = romTree();
  readonly #now: () => number;

  constructor(capacity: number, now: () => number) {
    this.capacity = capacity;
    this.#now = now;
  }

  resolve(path: string): string {
    const clean = sanitizePath(path);
    if (isOutsideRoot(clean)) throw failed(path.replace(/^\//, ""), "Invalid Path");
    return clean;
  }

  #node(path: string): Node | undefined {
    if (path === "") return { created: 0 };
    return this.#nodes.get(path) ?? this.#rom.get(path);
  }

  exists(path: string): boolean {
    return this.#node(path) !== undefined;
  }

  isDirectory(path: string): boolean {
    const node = this.#node(path);
    return node !== undefined && !isFile(node);
  }

  isReadOnly(path: string): boolean {
    return path === "rom" || path.startsWith("rom/");
  }

  get usedSpace(): number {
    let used = 0;
    for (const node of this.#nodes.values()) {
      used += isFile(node) ? Math.max(node.content.length, MINIMUM_FILE_SIZE) : MINIMUM_FILE_SIZE;
    }
    return used;
  }

  get freeSpace(): number {
    return Math.max(0, this.capacity - this.usedSpace);
  }

  readFile(path: string): string {
    const node = this.#node(path);
    if (!isFile(node)) throw failed(path, node === undefined ? "No such file" : "Not a file");
    return node.content;
  }

  readError(path: string, { consistentMounts }: Features): string | undefined {
    const node = this.#node(path);
    if (isFile(node)) return undefined;
    return `/${path}: ${node === undefined || !consistentMounts ? "No such file" : "Not a file"}`;
  }

  prepareWrite(path: string, truncate: boolean): string | undefined {
    if (this.isReadOnly(path)) return `/${path}: Access denied`;
    if (this.isDirectory(path)) return `/${path}: Cannot write to directory`;
    try {
      this.makeDirectory(parentPath(path));
      if (truncate || !this.exists(path)) this.setContent(path, "");
    } catch (error) {
      if (error instanceof LuaError) return error.message;
      throw error;
    }
    return undefined;
  }

  setContent(path: string, content: string): void {
    const old = this.#nodes.get(path);
    const oldSize = isFile(old) ? Math.max(old.content.length, MINIMUM_FILE_SIZE) : 0;
    const growth = Math.max(content.length, MINIMUM_FILE_SIZE) - oldSize;
    if (growth > 0 && growth > this.freeSpace) throw new LuaError("Out of space");
    const now = this.#now();
    if (isFile(old)) {
      old.content = content;
      old.modified = now;
    } else this.#nodes.set(path, { content, created: now, modified: now });
  }

  list(path: string): string[] {
    if (!this.isDirectory(path)) throw failed(path, "Not a directory");
    const prefix = path === "" ? "" : `${path}/`;
    const names = new Set<string>();
    for (const tree of [this.#nodes, this.#rom]) {
      for (const key of tree.keys()) {
        if (key.startsWith(prefix) && !key.slice(prefix.length).includes("/")) {
          names.add(key.slice(prefix.length));
        }
      }
    }
    return [...names].sort();
  }

  attributes(path: string): Attributes {
    const node = this.#node(path);
    if (node === undefined) throw failed(path, "No such file");
    return {
      size: isFile(node) ? node.content.length : 0,
      isDir: !isFile(node),
      isReadOnly: this.isReadOnly(path),
      created: node.created,
      modified: isFile(node) ? node.modified : node.created,
    };
  }

  makeDirectory(path: string): void {
    if (path === "" || this.isDirectory(path)) return;
    if (this.isReadOnly(path)) throw failed(path, "Access denied");
    if (this.exists(path)) throw failed(path, "File exists");
    this.makeDirectory(parentPath(path));
    if (this.freeSpace < MINIMUM_FILE_SIZE) throw failed(path, "Out of space");
    this.#nodes.set(path, { created: this.#now() });
  }

  delete(path: string): void {
    if (path === "" || this.isReadOnly(path)) throw failed(path, "Access denied");
    for (const key of [...this.#nodes.keys()]) {
      if (key === path || key.startsWith(`${path}/`)) this.#nodes.delete(key);
    }
  }

  copy(from: string, to: string): void {
    this.#checkTransfer(from, to);
    const needed = this.#sizeOf(from);
    if (needed > this.freeSpace) throw new LuaError("Out of space");
    this.makeDirectory(parentPath(to));
    for (const [key, node] of this.#tree(from)) {
      const target = to + key.slice(from.length);
      const now = this.#now();
      const copy = isFile(node)
        ? { content: node.content, created: now, modified: now }
        : { created: now };
      this.#nodes.set(target, copy);
    }
  }

  move(from: string, to: string): void {
    if (this.isReadOnly(from)) throw failed(from, "Access denied");
    this.#checkTransfer(from, to);
    this.makeDirectory(parentPath(to));
    for (const [key, node] of this.#tree(from)) {
      this.#nodes.delete(key);
      this.#nodes.set(to + key.slice(from.length), node);
    }
  }

  #checkTransfer(from: string, to: string): void {
    if (!this.exists(from)) throw failed(from, "No such file");
    if (this.isReadOnly(to)) throw failed(to, "Access denied");
    if (this.exists(to)) throw new LuaError("File exists");
    if (to.startsWith(`${from}/`)) throw failed(from, "Can't copy a directory inside itself");
  }

  #tree(path: string): [string, Node][] {
    return [...this.#rom, ...this.#nodes].filter(
      ([key]) => key === path || key.startsWith(`${path}/`),
    );
  }

  #sizeOf(path: string): number {
    return this.#tree(path).reduce(
      (sum, [, node]) =>
        sum + (isFile(node) ? Math.max(node.content.length, MINIMUM_FILE_SIZE) : MINIMUM_FILE_SIZE),
      0,
    );
  }
}
