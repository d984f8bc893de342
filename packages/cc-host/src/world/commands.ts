import { numberArgument, stringArgument } from "../arguments.js";
import type { MainThread } from "../main-thread.js";
import type { LuaValue } from "../vm/literal.js";
import { type HostFunctions, LuaError, Results } from "../vm/lua-vm.js";
import type { BlockWorld, Position } from "./blocks.js";

export interface CommandResult {
  readonly ok: boolean;
  readonly output: readonly string[];
  readonly affected?: number;
}

export interface CommandOptions {
  readonly position?: Position;
  /** `enable-command-block` of server.properties. @default true */
  readonly enabled?: boolean;
  readonly onCommand?: (line: string) => CommandResult | undefined;
}

const MAX_BLOCKS = 4_096;
const KNOWN_COMMANDS = ["help", "say", "setblock", "time"];

export class Commands {
  readonly #blocks: BlockWorld;
  readonly #options: CommandOptions;
  readonly #mainThread: MainThread;
  readonly log: string[] = [];

  constructor(blocks: BlockWorld, options: CommandOptions, mainThread: MainThread) {
    this.#blocks = blocks;
    this.#options = options;
    this.#mainThread = mainThread;
  }

  tick(): void {}
  reset(): void {}

  get functions(): HostFunctions {
    const position = this.#options.position ?? { x: 0, y: 64, z: 0 };
    return {
      "commands.execAsync": (line) => {
        const command = stringArgument(line, 1);
        return this.#mainThread.submit(() => this.#exec(command));
      },
      "commands.run": (method, ...args) => {
        const work = this.#work(String(method), args);
        return this.#mainThread.submit(work);
      },
      "commands.getBlockPosition": () => new Results(position.x, position.y, position.z),
      "commands.list": () => KNOWN_COMMANDS,
    };
  }

  #work(method: string, args: readonly LuaValue[]): () => Results {
    if (method === "exec") {
      const line = stringArgument(args[0] as string, 1);
      return () => this.#exec(line);
    }
    const numbers = args
      .slice(0, method === "getBlockInfo" ? 3 : 6)
      .map((value, index) => Math.floor(numberArgument(value as number, index + 1)));
    if (method === "getBlockInfo") {
      const [x = 0, y = 0, z = 0] = numbers;
      return () => new Results(this.#info({ x, y, z }));
    }
    return () => this.#infos(numbers);
  }

  #info(at: Position): LuaValue {
    const block = this.#blocks.get(at);
    const tags = Object.fromEntries((block?.tags ?? []).map((tag) => [tag, true]));
    return { name: block?.name ?? "minecraft:air", state: block?.state ?? {}, tags };
  }

  #infos([x1 = 0, y1 = 0, z1 = 0, x2 = 0, y2 = 0, z2 = 0]: number[]): Results {
    const [min, max] = [
      { x: Math.min(x1, x2), y: Math.min(y1, y2), z: Math.min(z1, z2) },
      { x: Math.max(x1, x2), y: Math.max(y1, y2), z: Math.max(z1, z2) },
    ];
    const count = (max.x - min.x + 1) * (max.y - min.y + 1) * (max.z - min.z + 1);
    if (count > MAX_BLOCKS) throw new LuaError("Too many blocks");
    const infos: LuaValue[] = [];
    for (let y = min.y; y <= max.y; y++) {
      for (let z = min.z; z <= max.z; z++) {
        for (let x = min.x; x <= max.x; x++) infos.push(this.#info({ x, y, z }));
      }
    }
    return new Results(infos);
  }

  #exec(line: string): Results {
    if (this.#options.enabled === false) {
      return new Results(false, ["Command blocks disabled by server"]);
    }
    const command = line.replace(/^\//, "");
    this.log.push(command);
    const {
      ok,
      output,
      affected = ok ? 1 : 0,
    } = this.#options.onCommand?.(command) ?? this.#answer(command);
    // Characters beyond one byte are lost on the way to Lua.
    const bytes = output.map((text) => text.replace(/[^\0-\xff]/g, "?"));
    return new Results(ok, bytes, affected);
  }

  #answer(line: string): CommandResult {
    const [name, ...words] = line.split(/\s+/);
    if (name === "say") return { ok: true, output: [] };
    if (name === "time") return { ok: true, output: ["The time is 1000"], affected: 1_000 };
    if (name === "help") return { ok: true, output: KNOWN_COMMANDS.map((known) => `/${known}`) };
    if (name === "setblock") return this.#setBlock(words);
    return {
      ok: false,
      output: ["Unknown or incomplete command, see below for error", `${line}<--[HERE]`],
    };
  }

  #setBlock([x, y, z, block]: string[]): CommandResult {
    const at = { x: Number(x), y: Number(y), z: Number(z) };
    if (block === undefined || Object.values(at).some(Number.isNaN)) {
      return { ok: false, output: ["Unknown or incomplete command, see below for error"] };
    }
    const name = block.includes(":") ? block : `minecraft:${block}`;
    if (name === "minecraft:air") this.#blocks.remove(at);
    else this.#blocks.set(at, name);
    return { ok: true, output: [`Changed the block at ${at.x}, ${at.y}, ${at.z}`] };
  }
}
