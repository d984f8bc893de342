import type { LuaValue } from "../vm/literal.js";
import { type HostFunctions, LuaError, Results } from "../vm/lua-vm.js";
import type { LuaScalar } from "../vm/memory.js";

const MAX_OPEN_FILES = 128;

export interface FileContent {
  read(): string;
  write?(content: string): void;
}

export interface HandleOptions {
  readonly binary: boolean;
  readonly readable: boolean;
  readonly append: boolean;
  /** Before 1.109 text mode transcoded UTF-8 to one byte per character. */
  readonly transcode: boolean;
}

interface Handle extends HandleOptions {
  readonly content: FileContent;
  position: number;
}

export function decodeToBytes(bytes: string): string {
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  return Array.from(text, (char) => ((char.codePointAt(0) ?? 0) > 0xff ? "?" : char)).join("");
}

function encodeFromBytes(bytes: string): string {
  return Buffer.from(bytes, "utf8").toString("latin1");
}

export class FileHandles {
  readonly #handles = new Map<number, Handle>();
  #nextId = 1;

  get isFull(): boolean {
    return this.#handles.size >= MAX_OPEN_FILES;
  }

  open(content: FileContent, options: HandleOptions): number {
    const id = this.#nextId++;
    const position = options.append ? content.read().length : 0;
    this.#handles.set(id, { ...options, content, position });
    return id;
  }

  methods(options: HandleOptions, writable: boolean): string {
    const names: string[] = [];
    if (options.readable) names.push("read", "readLine", "readAll");
    if (writable) names.push("write", "writeLine", "flush");
    if (options.binary || !options.transcode) names.push("seek");
    return [...names, "close"].join(" ");
  }

  closeAll(): void {
    this.#handles.clear();
  }

  hostFunctions(): HostFunctions {
    return {
      "file.read": (id, count) => this.#read(this.#get(id), count),
      "file.readLine": (id, keepNewline) => this.#readLine(this.#get(id), keepNewline === true),
      "file.readAll": (id) => this.#readAll(this.#get(id)),
      "file.write": (id, value) => this.#write(this.#get(id), value, ""),
      "file.writeLine": (id, value) => this.#write(this.#get(id), value, "\n"),
      "file.flush": (id) => void this.#get(id),
      "file.seek": (id, whence, offset) => this.#seek(this.#get(id), whence, offset),
      "file.collected": (id) => {
        this.#handles.delete(Number(id));
      },
      "file.close": (id) => {
        this.#get(id);
        this.#handles.delete(Number(id));
      },
    };
  }

  #get(id: LuaScalar): Handle {
    const handle = this.#handles.get(Number(id));
    if (handle === undefined) throw new LuaError("attempt to use a closed file");
    return handle;
  }

  #text(handle: Handle): string {
    const bytes = handle.content.read();
    return handle.transcode && !handle.binary ? decodeToBytes(bytes) : bytes;
  }

  #read(handle: Handle, count: LuaScalar): LuaValue {
    const text = this.#text(handle);
    if (count === undefined && handle.binary) {
      if (handle.position >= text.length) return undefined;
      return text.charCodeAt(handle.position++);
    }
    const wanted = count === undefined ? 1 : Number(count);
    if (wanted < 0) throw new LuaError("Cannot read a negative number of bytes");
    if (handle.position >= text.length) return wanted === 0 ? "" : undefined;
    const part = text.slice(handle.position, handle.position + wanted);
    handle.position += part.length;
    return part;
  }

  #readLine(handle: Handle, keepNewline: boolean): LuaValue {
    const text = this.#text(handle);
    if (handle.position >= text.length) return undefined;
    const newline = text.indexOf("\n", handle.position);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(handle.position, end);
    handle.position = end;
    return keepNewline ? line : line.replace(/\r?\n$/, "");
  }

  #readAll(handle: Handle): LuaValue {
    const text = this.#text(handle);
    const rest = text.slice(handle.position);
    handle.position = text.length;
    return rest;
  }

  #write(handle: Handle, value: LuaScalar, suffix: string): void {
    const write = handle.content.write?.bind(handle.content);
    if (write === undefined) throw new LuaError("attempt to write to a read-only handle");
    const bytes = this.#toBytes(handle, value) + suffix;
    const old = handle.content.read();
    const start = handle.append ? old.length : handle.position;
    const filler = start > old.length ? "\0".repeat(start - old.length) : "";
    write(old.slice(0, start) + filler + bytes + old.slice(start + bytes.length));
    handle.position = start + bytes.length;
  }

  #toBytes(handle: Handle, value: LuaScalar): string {
    if (handle.binary) {
      if (typeof value === "number") return String.fromCharCode(value & 0xff);
      if (typeof value === "string") return value;
      throw new LuaError("bad argument #1 (string or number expected)");
    }
    const text = value === undefined ? "nil" : String(value);
    if (!handle.transcode) return text;
    return encodeFromBytes(Number.isInteger(value) ? `${text}.0` : text);
  }

  #seek(handle: Handle, whence: LuaScalar, offset: LuaScalar): Results {
    const base =
      whence === "set" ? 0 : whence === "end" ? this.#text(handle).length : handle.position;
    const target = base + Number(offset ?? 0);
    if (target < 0) return new Results(undefined, "Position is negative");
    handle.position = target;
    return new Results(target);
  }
}
