import { booleanArgument, numberArgument, stringArgument } from "./arguments.js";
import { type HostFunctions, LuaError } from "./vm/lua-vm.js";
import type { LuaScalar } from "./vm/memory.js";

export const SIDES = ["bottom", "top", "back", "front", "right", "left"] as const;
export type Side = (typeof SIDES)[number];

function side(value: LuaScalar): Side {
  const name = stringArgument(value, 1).toLowerCase();
  if (SIDES.includes(name as Side)) return name as Side;
  throw new LuaError(`bad argument #1 (unknown option ${name})`);
}

function strength(value: LuaScalar): number {
  const level = numberArgument(value, 2);
  if (level < 0 || level > 15) throw new LuaError("Expected number in range 0-15");
  return Math.floor(level);
}

export class Redstone {
  readonly #outputs = new Map<Side, number>();
  readonly #inputs = new Map<Side, number>();
  readonly #bundledOutputs = new Map<Side, number>();
  readonly #bundledInputs = new Map<Side, number>();
  readonly #onInput: () => void;

  constructor(onInput: () => void) {
    this.#onInput = onInput;
  }

  output(at: Side): number {
    return this.#outputs.get(at) ?? 0;
  }

  /** Queues a `redstone` event without arguments. */
  setInput(at: Side, level: number): void {
    if ((this.#inputs.get(at) ?? 0) === level) return;
    this.#inputs.set(at, level);
    this.#onInput();
  }

  setBundledInput(at: Side, colours: number): void {
    if ((this.#bundledInputs.get(at) ?? 0) === colours) return;
    this.#bundledInputs.set(at, colours);
    this.#onInput();
  }

  resetOutputs(): void {
    this.#outputs.clear();
    this.#bundledOutputs.clear();
  }

  hostFunctions(): HostFunctions {
    return {
      "redstone.getSides": () => [...SIDES],
      "redstone.setOutput": (at, on) => {
        this.#outputs.set(side(at), booleanArgument(on, 2) ? 15 : 0);
      },
      "redstone.getOutput": (at) => this.output(side(at)) > 0,
      "redstone.getInput": (at) => (this.#inputs.get(side(at)) ?? 0) > 0,
      "redstone.setAnalogOutput": (at, level) => {
        this.#outputs.set(side(at), strength(level));
      },
      "redstone.getAnalogOutput": (at) => this.output(side(at)),
      "redstone.getAnalogInput": (at) => this.#inputs.get(side(at)) ?? 0,
      "redstone.setBundledOutput": (at, colours) => {
        this.#bundledOutputs.set(side(at), numberArgument(colours, 2));
      },
      "redstone.getBundledOutput": (at) => this.#bundledOutputs.get(side(at)) ?? 0,
      "redstone.getBundledInput": (at) => this.#bundledInputs.get(side(at)) ?? 0,
      "redstone.testBundledInput": (at, mask) => {
        const wanted = numberArgument(mask, 2);
        return ((this.#bundledInputs.get(side(at)) ?? 0) & wanted) === wanted;
      },
    };
  }
}
