import { stringArgument } from "../arguments.js";
import type { Features } from "../version.js";
import { LuaExpression } from "../vm/literal.js";
import { type HostFunctions, LuaError, Results } from "../vm/lua-vm.js";
import type { FileSystem } from "./file-system.js";
import type { FileHandles } from "./handles.js";
import { baseName, isOutsideRoot, parentPath, sanitizePath } from "./paths.js";

const MODES = /^(r|w|a|r\+|w\+)(b?)$/;

function wildcardPattern(path: string): RegExp {
  const source = path
    .split(/([*?])/)
    .map((part) => {
      if (part === "*") return "[^/]*";
      if (part === "?") return "[^/]";
      return part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}$`);
}

function everyPath(files: FileSystem, directory = ""): string[] {
  return files.list(directory).flatMap((name) => {
    const path = directory === "" ? name : `${directory}/${name}`;
    return files.isDirectory(path) ? [path, ...everyPath(files, path)] : [path];
  });
}

function open(files: FileSystem, handles: FileHandles, features: Features) {
  return (rawPath: string, mode: string): Results => {
    const match = MODES.exec(mode);
    const kind = match?.[1];
    const update = kind === "r+" || kind === "w+";
    if (kind === undefined || (update && !features.updateModes)) {
      throw new LuaError("Unsupported mode");
    }
    if (isOutsideRoot(sanitizePath(rawPath, true))) {
      return new Results(undefined, `/${rawPath.replace(/^\//, "")}: Invalid Path`);
    }
    const path = files.resolve(rawPath);
    const writable = kind !== "r";
    const problem =
      kind === "r" || kind === "r+"
        ? (files.readError(path, features) ??
          (update ? files.prepareWrite(path, false) : undefined))
        : files.prepareWrite(path, kind !== "a");
    if (problem !== undefined) return new Results(undefined, problem);
    if (handles.isFull) return new Results(undefined, "Too many files already open");
    const options = {
      binary: match?.[2] === "b",
      readable: kind === "r" || update,
      append: kind === "a",
      transcode: !features.rawBytes,
    };
    let last = files.readFile(path);
    const read = () => {
      if (files.exists(path) && !files.isDirectory(path)) last = files.readFile(path);
      return last;
    };
    const content = writable
      ? { read, write: (bytes: string) => files.setContent(path, bytes) }
      : { read };
    const methods = handles.methods(options, writable);
    return new Results(new LuaExpression(`file(${handles.open(content, options)},"${methods}")`));
  };
}

export function fsFunctions(
  files: FileSystem,
  handles: FileHandles,
  features: Features,
): HostFunctions {
  const openFile = open(files, handles, features);
  const drive = (clean: string) => {
    if (!files.exists(clean)) return undefined;
    return files.isReadOnly(clean) ? "rom" : "hdd";
  };
  const path = (value: Parameters<typeof stringArgument>[0], index = 1) =>
    files.resolve(stringArgument(value, index));
  const ask = <T>(fallback: T, question: () => T): T => {
    try {
      return question();
    } catch (error) {
      if (error instanceof LuaError && error.message.endsWith("Invalid Path")) return fallback;
      throw error;
    }
  };
  return {
    "fs.exists": (value) => ask(false, () => files.exists(path(value))),
    "fs.isDir": (value) => ask(false, () => files.isDirectory(path(value))),
    "fs.isReadOnly": (value) => ask(false, () => files.isReadOnly(path(value))),
    "fs.getName": (value) => baseName(sanitizePath(stringArgument(value, 1), true)),
    "fs.getDir": (value) => {
      const clean = sanitizePath(stringArgument(value, 1), true);
      return clean === "" ? ".." : parentPath(clean);
    },
    "fs.combine": (...parts) => {
      const texts = parts.map((part, index) => stringArgument(part, index + 1));
      if (texts.length === 0) stringArgument(undefined, 1);
      return sanitizePath(texts.join("/"), true);
    },
    "fs.list": (value) => {
      const directory = path(value);
      if (features.consistentMounts && !files.exists(directory)) {
        throw new LuaError(`/${directory}: No such file`);
      }
      return files.list(directory);
    },
    "fs.getSize": (value) => files.attributes(path(value)).size,
    "fs.attributes": (value) => ({ ...files.attributes(path(value)) }),
    "fs.makeDir": (value) => files.makeDirectory(path(value)),
    "fs.move": (from, to) => files.move(path(from), path(to, 2)),
    "fs.copy": (from, to) => files.copy(path(from), path(to, 2)),
    "fs.delete": (value) => files.delete(path(value)),
    "fs.getFreeSpace": (value) => (files.isReadOnly(path(value)) ? 0 : files.freeSpace),
    "fs.getCapacity": (value) => (files.isReadOnly(path(value)) ? null : files.capacity),
    "fs.getDrive": (value) => drive(path(value)),
    "fs.isDriveRoot": (value) => {
      const clean = path(value);
      // The game compares the drives of a path and of its folder, and a missing path has none.
      return clean === "" || drive(clean) !== drive(parentPath(clean));
    },
    "fs.find": (value) => {
      const pattern = wildcardPattern(sanitizePath(stringArgument(value, 1), true));
      return everyPath(files)
        .filter((candidate) => pattern.test(candidate))
        .sort();
    },
    "fs.open": (value, mode) => openFile(stringArgument(value, 1), stringArgument(mode, 2)),
  };
}
